/**
 * `k8ts up --egress`: a container reaches an address outside the cluster, under the machine's own address. The machine is a
 * namespace with an uplink to another one, so that nothing of this machine's own network is touched.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addAddress,
  addVeth,
  createNetns,
  deleteNetns,
  findLink,
  listenIn,
  NetlinkSocket,
  openNetns,
  readSysctl,
  setLink,
} from '../src/net/netns/index.ts';
import { builtProgram } from './k8ts-process.ts';
import { requires } from './requires.ts';
import { busyboxImage, dockerArchive } from './test-images.ts';

const missing = requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox', 'nsenter', 'kubectl>=1.23');
const MACHINE_ADDRESS = '198.51.100.1';
const OUTSIDE_ADDRESS = '198.51.100.2';

describe.skipIf(missing !== undefined)(`k8ts up --egress${missing === undefined ? '' : ` (${missing})`}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-egress-'));
  const machine = join(directory, 'machine.netns');
  const outside = join(directory, 'outside.netns');
  const data = join(directory, 'data');
  /** Who asked, as the server outside sees it. */
  const seen: (string | undefined)[] = [];
  const server = http.createServer((request, response) => {
    seen.push(request.socket.remoteAddress);
    response.end('hello from outside');
  });
  let forwarding: string | undefined;

  const run = async (command: readonly string[], input?: string): Promise<string> => {
    const child = spawn('nsenter', [`--net=${machine}`, ...command], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, KUBECONFIG: join(data, 'kubeconfig') },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stdin.end(input);
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`${command.join(' ')}: ${output}`);
    return output;
  };
  const k8ts = async (...args: string[]): Promise<string> =>
    run([process.execPath, await builtProgram(), ...args, '--data-dir', data]);

  async function joinNamespaces(): Promise<void> {
    const [here, there] = [new NetlinkSocket(machine), new NetlinkSocket(outside)];
    const target = openNetns(outside);
    try {
      await here.send([
        setLink({ name: 'lo', up: true }),
        addVeth({ name: 'uplink', up: true }, { name: 'eth0', netnsFd: target }),
      ]);
      await here.send([addAddress((await findLink(here, 'uplink'))!.index, `${MACHINE_ADDRESS}/24`)]);
      await there.send([
        setLink({ name: 'eth0', up: true }),
        addAddress((await findLink(there, 'eth0'))!.index, `${OUTSIDE_ADDRESS}/24`),
      ]);
    } finally {
      closeSync(target);
      here.close();
      there.close();
    }
  }

  beforeAll(async () => {
    createNetns(machine);
    createNetns(outside);
    await joinNamespaces();
    forwarding = readSysctl(machine, 'net/ipv4/ip_forward');
    await listenIn(server, { netns: outside, host: OUTSIDE_ADDRESS, port: 8080 });
    await k8ts('up', '--ephemeral', '--port', '0', '--nodes', '1', '--egress', '--addons', 'none', '--detach');
    const archive = join(directory, 'image.tar');
    writeFileSync(archive, dockerArchive(busyboxImage()));
    await k8ts('image', 'load', archive);
  });

  afterAll(async () => {
    try {
      await k8ts('down');
      expect(readSysctl(machine, 'net/ipv4/ip_forward')).toBe(forwarding);
    } finally {
      server.close();
      deleteNetns(machine);
      deleteNetns(outside);
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it('allows a container to reach outside addresses, with the address of the machine', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'asks', namespace: 'default' },
      spec: {
        restartPolicy: 'Never',
        containers: [
          {
            name: 'asks',
            image: 'docker.io/library/busybox:test',
            imagePullPolicy: 'Never',
            command: ['sh', '-c', `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc ${OUTSIDE_ADDRESS} 8080`],
          },
        ],
      },
    };
    await run(['kubectl', 'apply', '-f', '-'], JSON.stringify(pod));
    await run(['kubectl', 'wait', 'pod/asks', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=120s']);
    expect(await run(['kubectl', 'logs', 'asks'])).toMatch(/\r\n\r\nhello from outside$/);
    expect(seen).toEqual([MACHINE_ADDRESS]);
  });
});
