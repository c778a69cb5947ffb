import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../src/kernel/testing/index.ts';
import { freePort } from './free-port.ts';
import { findProgram } from './requires.ts';

/** Debian's docker-registry on loopback, for as long as a test needs it. */
export interface TestRegistry {
  /** As references spell it: `127.0.0.1:PORT`. */
  readonly host: string;
  /** `http://127.0.0.1:PORT`, or `https://`. */
  readonly url: string;
  /** PEM of the certificate, with `tls`. */
  readonly ca: string;
  stop(): Promise<void>;
}

export interface TestRegistryOptions {
  /** Lets in only `REGISTRY_USER` with `REGISTRY_PASSWORD`. */
  readonly authentication?: boolean;
  readonly tls?: boolean;
}

export const REGISTRY_USER = 'puller';
export const REGISTRY_PASSWORD = 'secret';
export const REGISTRY_AUTHORIZATION = `Basic ${Buffer.from(`${REGISTRY_USER}:${REGISTRY_PASSWORD}`).toString('base64')}`;

/** bcrypt of the password: the only kind that the registry takes. */
const PASSWORD_HASH = '$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a';

export async function startRegistry(options: TestRegistryOptions = {}): Promise<TestRegistry> {
  const program = findProgram('docker-registry');
  if (program === undefined) throw new Error('the test needs docker-registry');
  const folder = mkdtempSync(join(tmpdir(), 'k8ts-registry-'));
  const port = await freePort();
  const config = join(folder, 'config.yml');
  const scheme = options.tls === true ? 'https' : 'http';
  if (options.tls === true) makeCertificate(folder);
  if (options.authentication === true) writeFileSync(join(folder, 'htpasswd'), `${REGISTRY_USER}:${PASSWORD_HASH}\n`);
  writeFileSync(config, configOf(folder, port, options));
  const child = spawn(program, ['serve', config], { stdio: 'ignore' });
  const stop = async (): Promise<void> => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilListening(port, child);
  } catch (error) {
    await stop();
    throw error;
  }
  const ca = options.tls === true ? readFileSync(join(folder, 'cert.pem'), 'utf8') : '';
  return { host: `127.0.0.1:${port}`, url: `${scheme}://127.0.0.1:${port}`, ca, stop };
}

function configOf(folder: string, port: number, { authentication, tls }: TestRegistryOptions): string {
  return JSON.stringify({
    version: 0.1,
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: join(folder, 'data') } },
    http: {
      addr: `127.0.0.1:${port}`,
      ...(tls === true ? { tls: { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') } } : {}),
    },
    ...(authentication === true ? { auth: { htpasswd: { realm: 'test', path: join(folder, 'htpasswd') } } } : {}),
  });
}

function makeCertificate(folder: string): void {
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=registry',
      ],
      ...[
        '-addext',
        'subjectAltName=IP:127.0.0.1,DNS:localhost',
        '-keyout',
        join(folder, 'key.pem'),
        '-out',
        join(folder, 'cert.pem'),
      ],
    ],
    { stdio: 'ignore' },
  );
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  const isListening = (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`docker-registry ended with ${child.exitCode}`);
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => (socket.destroy(), resolve(true))).once('error', () => resolve(false));
    });
  };
  await until('docker-registry listens', isListening);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
