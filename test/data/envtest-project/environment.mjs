// The part of controller-runtime's envtest: it starts the etcd and the kube-apiserver of KUBEBUILDER_ASSETS with its flags, files and
// health checks, and ends them as it does. Its limits for starting and stopping are 20 s.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const assets = process.env.KUBEBUILDER_ASSETS ?? '/usr/local/kubebuilder/bin';
const POLL_MS = 100;
const LIMIT_MS = Number(process.env.KUBEBUILDER_CONTROLPLANE_LIMIT_MS ?? 20_000);

export class Environment {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8s_test_framework_'));
  /** @type {{ name: string, child: import('node:child_process').ChildProcess }[]} */
  #processes = [];

  async start() {
    const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
    const etcd = `http://127.0.0.1:${etcdPort}`;
    await this.#start('etcd', `${etcd}/health`, {
      'advertise-client-urls': etcd,
      'data-dir': path.join(this.directory, 'etcd'),
      'listen-client-urls': etcd,
      'listen-peer-urls': `http://127.0.0.1:${peerPort}`,
      ...(hasFlag('etcd', 'unsafe-no-fsync') ? { 'unsafe-no-fsync': 'true' } : {}),
    });
    this.server = `https://127.0.0.1:${port}`;
    this.#authority('serving');
    this.#authority('client-cert-auth-ca');
    this.#authority('sa-signer');
    this.#certificate('apiserver', 'serving', '/O=envtest/CN=localhost', 'DNS:localhost,IP:127.0.0.1');
    await this.#start('kube-apiserver', `${this.server}/healthz`, {
      'allow-privileged': 'true',
      'authorization-mode': 'RBAC',
      'bind-address': '127.0.0.1',
      'cert-dir': this.directory,
      'client-ca-file': this.#file('client-cert-auth-ca.crt'),
      'disable-admission-plugins': 'ServiceAccount',
      'etcd-servers': etcd,
      ...(hasFlag('kube-apiserver', 'insecure-port') ? { 'insecure-port': '0' } : {}),
      'secure-port': String(port),
      'service-account-issuer': `${this.server}/`,
      'service-account-key-file': this.#file('sa-signer.crt'),
      'service-account-signing-key-file': this.#file('sa-signer.key'),
      'service-cluster-ip-range': '10.0.0.0/24',
    });
    this.admin = this.addUser('admin', ['system:masters']);
    await until('the namespace default', async () => (await this.admin.get('/api/v1/namespaces/default')).code === 200);
  }

  /** The API server first. Both have to end by SIGTERM to their group. */
  async stop() {
    try {
      for (const { name, child } of this.#processes.reverse()) {
        const ended = child.exitCode === null ? once(child, 'exit') : undefined;
        if (ended) process.kill(-child.pid, 'SIGTERM');
        const late = sleep(LIMIT_MS, 'late', { ref: false });
        if ((await Promise.race([ended, late])) !== 'late') continue;
        process.kill(-child.pid, 'SIGKILL');
        throw new Error(`timeout waiting for process ${name} to stop`);
      }
    } finally {
      fs.rmSync(this.directory, { recursive: true, force: true });
    }
  }

  /**
   * @param {string} name
   * @param {readonly string[]} groups
   */
  addUser(name, groups) {
    const subject = [...groups.map((group) => `/O=${group}`), `/CN=${name}`].join('');
    this.#certificate(`user-${name}`, 'client-cert-auth-ca', subject);
    return new User(this.server, {
      ca: fs.readFileSync(this.#file('serving.crt')),
      cert: fs.readFileSync(this.#file(`user-${name}.crt`)),
      key: fs.readFileSync(this.#file(`user-${name}.key`)),
    });
  }

  /** @param {object[]} definitions CustomResourceDefinitions: installed when discovery has them. */
  async installDefinitions(definitions) {
    for (const definition of definitions) {
      const { code, body } = await this.admin.post(
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        definition,
      );
      if (code !== 201) throw new Error(body.message);
      const { group, names, versions } = definition.spec;
      for (const { name: version } of versions.filter((one) => one.served))
        await until(`${names.plural} in discovery`, async () => {
          const resources = (await this.admin.get(`/apis/${group}/${version}`)).body.resources ?? [];
          return resources.some((resource) => resource.name === names.plural);
        });
    }
  }

  /** A file, as kubectl reads it. */
  kubeconfig(user = this.admin) {
    const data = (bytes) => bytes.toString('base64');
    const file = this.#file('kubeconfig');
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'envtest',
      clusters: [
        {
          name: 'envtest',
          cluster: { server: this.server, 'certificate-authority-data': data(user.credentials.ca) },
        },
      ],
      users: [
        {
          name: 'envtest',
          user: {
            'client-certificate-data': data(user.credentials.cert),
            'client-key-data': data(user.credentials.key),
          },
        },
      ],
      contexts: [{ name: 'envtest', context: { cluster: 'envtest', user: 'envtest' } }],
    };
    fs.writeFileSync(file, JSON.stringify(config));
    return file;
  }

  /**
   * @param {string} name
   * @param {string} health
   * @param {Record<string, string>} flags
   */
  async #start(name, health, flags) {
    const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
    // In a group of its own, to end all of it.
    const child = spawn(path.join(assets, name), args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
    this.#processes.push({ name, child });
    await until(`${name} is healthy`, async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${output}`);
      return (await request(health, { rejectUnauthorized: false })).code === 200;
    });
  }

  #file(name) {
    return path.join(this.directory, name);
  }

  #authority(name) {
    const extensions = ['-addext', 'keyUsage=critical,digitalSignature,keyEncipherment,keyCertSign'];
    openssl(['req', '-x509', '-subj', '/O=envtest/CN=envtest-environment', ...extensions, ...this.#newKey(name)]);
  }

  #certificate(name, authority, subject, alternativeNames) {
    const by = ['-CA', this.#file(`${authority}.crt`), '-CAkey', this.#file(`${authority}.key`)];
    const usage = alternativeNames
      ? ['extendedKeyUsage=serverAuth', `subjectAltName=${alternativeNames}`]
      : ['extendedKeyUsage=clientAuth'];
    const extensions = ['basicConstraints=CA:FALSE', ...usage].flatMap((extension) => ['-addext', extension]);
    openssl(['req', '-x509', '-subj', subject, ...by, ...extensions, ...this.#newKey(name)]);
  }

  #newKey(name) {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '7'];
    return [...key, '-keyout', this.#file(`${name}.key`), '-out', this.#file(`${name}.crt`)];
  }
}

class User {
  constructor(server, credentials) {
    this.server = server;
    this.credentials = credentials;
  }

  get = (url) => this.#send('GET', url);
  delete = (url) => this.#send('DELETE', url);
  post = (url, body) => this.#send('POST', url, body);
  put = (url, body) => this.#send('PUT', url, body);

  /** Calls back with every event until the signal aborts. */
  watch(url, signal, onEvent) {
    return new Promise((resolve, reject) => {
      const options = { ...this.credentials, signal };
      const end = (error) => (signal.aborted ? resolve() : reject(error));
      https
        .get(`${this.server}${url}?watch=true`, options, (response) => {
          let rest = '';
          response.setEncoding('utf8').on('data', (text) => {
            const lines = (rest + text).split('\n');
            rest = lines.pop();
            for (const line of lines) onEvent(JSON.parse(line));
          });
          response.on('error', end).on('end', () => end(new Error('the watch ended')));
        })
        .on('error', end);
    });
  }

  #send(method, url, body) {
    return request(`${this.server}${url}`, { ...this.credentials, method }, body);
  }
}

/** Code 0 when nobody answers. */
function request(url, options, body) {
  return new Promise((resolve) => {
    const sent = (url.startsWith('https') ? https : http).request(
      url,
      { ...options, headers: { 'content-type': 'application/json' } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece) => (text += piece));
        response.on('end', () => {
          const isJson = response.headers['content-type']?.startsWith('application/json');
          resolve({ code: response.statusCode, body: isJson ? JSON.parse(text) : text });
        });
      },
    );
    sent.on('error', (error) => resolve({ code: 0, body: { message: error.message } }));
    sent.end(body && JSON.stringify(body));
  });
}

export async function until(what, condition) {
  for (const since = performance.now(); performance.now() - since < LIMIT_MS; await sleep(POLL_MS))
    if (await condition()) return;
  throw new Error(`timeout waiting for ${what}`);
}

function hasFlag(program, flag) {
  const help = execFileSync(path.join(assets, program), ['--help'], { encoding: 'utf8' });
  return new RegExp(`^\\s*--${flag}\\b`, 'm').test(help);
}

function openssl(args) {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
