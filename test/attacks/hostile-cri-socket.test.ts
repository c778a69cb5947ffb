/** Hostile calls to the CRI socket of `k8ts container-runtime`: methods that are none, messages that are none, raw frames. */
import { mkdtempSync, rmSync } from 'node:fs';
import http2 from 'node:http2';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Random } from '../../src/kernel/index.ts';
import { createNetns, deleteNetns } from '../../src/net/netns/index.ts';
import { removeCgroups } from '../container-runtime-fixture.ts';
import { startRuntimeProcess, type RuntimeProcess } from '../container-runtime-process.ts';
import { residentBytes } from '../k8ts-process.ts';
import { requires } from '../requires.ts';
import { fire } from './barrage.ts';
import { hostileHttp2 } from './hostile-http2.ts';
import { dialSocket, exchange } from './raw-exchange.ts';
import { WATCHDOG_NODE_FLAGS, watchTurns, type TurnWatchdog } from './turn-watchdog.ts';

const missing = requires('root', 'runc', 'conmon', 'ip');
if (missing) console.warn(`hostile-cri-socket: skipped, ${missing}`);

/** Nothing that asks a registry: hostile requests stay on this machine. */
const METHODS = [
  'Version',
  'Status',
  'ListPodSandbox',
  'PodSandboxStatus',
  'StopPodSandbox',
  'RemovePodSandbox',
  'RunPodSandbox',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
  'RemoveContainer',
  'ListContainers',
  'ContainerStatus',
  'UpdateContainerResources',
  'ReopenContainerLog',
  'ExecSync',
  'Exec',
  'Attach',
  'PortForward',
  'ContainerStats',
  'ListContainerStats',
  'UpdateRuntimeConfig',
  'GetContainerEvents',
  'CheckpointContainer',
  'RuntimeConfig',
  'Nothing',
].map((name) => `/runtime.v1.RuntimeService/${name}`);
const PATHS = [
  ...METHODS,
  '/runtime.v1.ImageService/ListImages',
  '/runtime.v1.ImageService/ImageStatus',
  '/runtime.v1.ImageService/ImageFsInfo',
  '/',
  '//',
  '/__proto__/constructor',
];
const MEGABYTE = 1024 * 1024;
const MAX_GROWTH = 200 * MEGABYTE;
const CUT_OFF_MS = 30;

const pick = <T>(random: Random, from: readonly T[]): T => from[random.integer(from.length)]!;

describe.skipIf(missing)('hostile calls to the CRI socket', { timeout: 1_800_000 }, () => {
  const name = `crth-${process.pid}`;
  const state = `/run/k8ts-test/${name}`;
  const netns = `${state}-node`;
  const socket = `${state}.sock`;
  let directory: string;
  let runtime: RuntimeProcess;
  let turns: TurnWatchdog;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), `${name}-`));
    createNetns(netns);
    const flags = {
      root: join(directory, 'root'),
      state,
      'cgroup-parent': `/${name}`,
      'node-netns': netns,
      'pod-cidr': '10.197.1.0/24',
    };
    runtime = await startRuntimeProcess(
      socket,
      Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]),
      WATCHDOG_NODE_FLAGS,
    );
    turns = watchTurns(runtime.pid);
  });
  afterAll(async () => {
    await runtime?.kill('SIGTERM');
    turns?.close();
    deleteNetns(netns);
    removeCgroups(`/${name}`);
    rmSync(state, { recursive: true, force: true });
    rmSync(directory, { recursive: true, force: true });
  });

  it('are answered, and the runtime continues', async () => {
    const memoryBefore = residentBytes(runtime.pid);
    const connect = (): http2.ClientHttp2Session =>
      http2.connect('http://localhost', { createConnection: () => net.connect(socket) }).on('error', () => {});
    let session = connect();
    session.setMaxListeners(0);
    const { problems } = await fire({
      target: 'cri-socket',
      turns,
      ended: () => (residentBytes(runtime.pid) === 0 ? runtime.output().slice(-3000) : undefined),
      send: async (random) => {
        if (random.next() < 0.3) {
          await exchange(
            dialSocket(socket),
            hostileHttp2(random, {
              paths: PATHS,
              headers: [
                ['content-type', 'application/grpc'],
                ['te', 'trailers'],
              ],
            }),
          );
          return undefined;
        }
        if (session.destroyed || session.closed) {
          session = connect();
          session.setMaxListeners(0);
        }
        return call(session, random);
      },
    });
    session.destroy();
    expect(problems).toEqual([]);
    expect((await runtime.client.runtime.version({})).runtimeApiVersion).toBe('v1');
    expect((await runtime.client.runtime.listPodSandbox({})).items ?? []).toEqual([]);
    expect(residentBytes(runtime.pid) - memoryBefore).toBeLessThan(MAX_GROWTH);
  });
});

/** A call with a message that is none, or of another method. */
function call(session: http2.ClientHttp2Session, random: Random): Promise<string | undefined> {
  return new Promise((resolve) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': pick(random, PATHS),
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const done = (): void => {
      clearTimeout(timer);
      stream.close(http2.constants.NGHTTP2_CANCEL);
      resolve(undefined);
    };
    const timer = setTimeout(done, CUT_OFF_MS);
    stream
      .on('error', () => {})
      .on('close', done)
      .resume();
    for (let i = random.integer(3); i >= 0; i--) stream.write(message(random));
    if (random.next() < 0.8) stream.end();
  });
}

function message(random: Random): Buffer {
  const text = Buffer.from(pick(random, ['', 'nobody', 'x'.repeat(200), '../../etc', '\0']));
  const content = pick<() => Buffer>(random, [
    () => Buffer.alloc(0),
    () => Buffer.from(random.bytes(random.integer(300))),
    // A first field that is a text: the id of a sandbox or a container in most requests.
    () => Buffer.concat([Buffer.from([10, text.length & 0x7f]), text.subarray(0, text.length & 0x7f)]),
    // The same field, nested in itself thousands of times.
    () => Buffer.alloc(random.integer(20_000), 10),
    () => Buffer.alloc(random.integer(20_000), 0xff),
  ])();
  const head = Buffer.alloc(5);
  head[0] = random.next() < 0.9 ? 0 : random.integer(256);
  head.writeUInt32BE(random.next() < 0.9 ? content.length : pick(random, [0, 1, 0xffff_ffff, 20 * MEGABYTE]), 1);
  return Buffer.concat([head, content]);
}
