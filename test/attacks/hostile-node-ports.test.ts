/** Hostile requests to what listens on a node: kubelet, CRI streaming server, kube-proxy, DNS, Ingress, component ports. */
import { spawn, type ChildProcess } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import readline from 'node:readline';
import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../scripts/build.mjs';
import { SPDY_DICTIONARY } from '../../src/container-runtime/streaming/spdy/dictionary.ts';
import { controlFrame, CONTROL_TYPES, dataFrame, numbers } from '../../src/container-runtime/streaming/spdy/frames.ts';
import { decodeMessage, encodeMessage, TYPE } from '../../src/dns/index.ts';
import type { Random } from '../../src/kernel/index.ts';
import { fire, type Target } from './barrage.ts';
import { hostileDnsMessage } from './hostile-dns.ts';
import { hostileFrames, hostileHttp1, type Http1Ground } from './hostile-http1.ts';
import { dialTcp, dialTls, exchange, statusesIn, type Dial } from './raw-exchange.ts';
import { WATCHDOG_NODE_FLAGS, watchTurns, type TurnWatchdog } from './turn-watchdog.ts';

interface Ports {
  readonly kubelet: number;
  readonly streaming: number;
  readonly component: number;
  readonly kubeProxy: number;
  readonly dns: number;
  readonly ingress: number;
  readonly secureIngress: number;
  readonly echo: number;
}

const MEGABYTE = 1024 * 1024;
const MAX_GROWTH = 200 * MEGABYTE;

describe('hostile requests to a node’s ports', { timeout: 1_800_000 }, () => {
  const outdir = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', `k8ts-test-ports-${process.pid}`);
  let child: ChildProcess;
  let ports: Ports;
  let turns: TurnWatchdog;
  let output = '';
  let lines: AsyncIterator<string>;
  let memoryBefore = 0;

  beforeAll(async () => {
    mkdirSync(outdir, { recursive: true });
    await build({ entryPoints: { ports: 'test/attacks/node-ports.ts' }, outdir });
    child = spawn(process.execPath, [...WATCHDOG_NODE_FLAGS, join(outdir, 'ports.js')], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    process.once('exit', () => child.kill('SIGKILL'));
    child.stderr!.on('data', (bytes: Buffer) => (output = (output + bytes.toString()).slice(-100_000)));
    lines = readline.createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    ({ ports } = await answerOf<{ ports: Ports }>());
    turns = watchTurns(child.pid!);
  });
  afterAll(async () => {
    if (child?.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    turns?.close();
    rmSync(outdir, { recursive: true, force: true });
  });

  async function answerOf<T>(): Promise<T> {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the process ended:\n${output}`);
    return JSON.parse(value) as T;
  }

  const memory = (): number =>
    existsSync(`/proc/${child.pid}/status`)
      ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
      : 0;

  async function barrage(target: Target, send: (random: Random) => Promise<string | undefined>): Promise<void> {
    memoryBefore = memory();
    const guarded = async (random: Random): Promise<string | undefined> => {
      if (child.exitCode !== null || child.signalCode !== null) return `the process has ended:\n${output.slice(-3000)}`;
      try {
        return await send(random);
      } catch (error) {
        return `${String(error)}\n${output.slice(-2000)}`;
      }
    };
    const { problems } = await fire({
      target,
      send: guarded,
      turns,
      ended: () => (child.exitCode === null && child.signalCode === null ? undefined : output.slice(-3000)),
    });
    expect(problems).toEqual([]);
    expect(child.exitCode).toBeNull();
    expect(memory() - memoryBefore).toBeLessThan(MAX_GROWTH);
    expect(await kubeletHealth()).toBe(200);
  }

  /** Sends requests of HTTP/1.1 and looks at the statuses of the answers. */
  const http1 =
    (dials: readonly Dial[], ground: Http1Ground, isFine: (status: number) => boolean) =>
    async (random: Random): Promise<string | undefined> => {
      const { pieces, pauseMs } = hostileHttp1(random, ground);
      const answer = await exchange(dials[random.integer(dials.length)]!, pieces, { pauseMs });
      const bad = statusesIn(answer).filter((status) => status >= 500 && !isFine(status));
      return bad.length > 0
        ? `${bad.join(' ')} to ${JSON.stringify(Buffer.concat(pieces).toString('latin1').slice(0, 400))}: ${answer.toString('latin1').slice(0, 600)}\n${output.slice(-800)}`
        : undefined;
    };

  const kubeletHealth = (): Promise<number> =>
    new Promise((resolve, reject) => {
      https
        .get(
          {
            host: '127.0.0.1',
            port: ports.kubelet,
            path: '/healthz',
            rejectUnauthorized: false,
            agent: false,
          },
          (response) => resolve(response.resume().statusCode!),
        )
        .on('error', reject);
    });

  it('the kubelet’s API', () =>
    barrage(
      'kubelet',
      http1(
        [dialTls(ports.kubelet), dialTcp(ports.kubelet)],
        {
          paths: [
            '/healthz',
            '/pods',
            '/runningpods/',
            '/metrics',
            '/metrics/resource',
            '/metrics/cadvisor',
            '/stats/summary',
            '/configz',
            '/logs/',
            '/logs/%ff',
            '/logs/..%2f..%2fetc%2fpasswd',
            '/containerLogs/default/a1/c',
            '/containerLogs/default/a1/c?tailLines=-1',
            '/containerLogs/default/a1/c?sinceTime=x',
            '/containerLogs/default/a1/c?limitBytes=99999999999999999999',
            '/run/default/a1/c?cmd=ls',
            '/exec/default/a1/c?command=ls&output=1',
            '/attach/default/a1/c?output=1',
            '/portForward/default/a1?port=x',
            '/checkpoint/default/a1/c',
            '/constructor',
          ],
          headers: ['Authorization: Bearer a'],
        },
        () => false,
      ),
    ));

  it('the CRI streaming server, without a token', () =>
    barrage(
      'streaming',
      http1(
        [dialTcp(ports.streaming)],
        { paths: ['/', '/exec/0123456789abcdef0123456789abcdef', '/portforward/', '/attach/x', '/exec'] },
        () => false,
      ),
    ));

  it('the CRI streaming server, with a token', async () => {
    const urls: string[] = [];
    /** Tokens are good for one connection: the process gives new ones, one caller after the other. */
    let asking = Promise.resolve();
    const next = async (): Promise<string> => {
      asking = asking.then(async () => {
        if (urls.length > 0) return;
        child.stdin!.write('\n');
        urls.push(...(await answerOf<{ urls: string[] }>()).urls);
      });
      await asking;
      return urls.pop() ?? next();
    };
    await barrage('streaming-session', async (random) => {
      const path = new URL(await next()).pathname;
      const answer = await exchange(dialTcp(ports.streaming), streamingSession(random, path, ports.echo));
      const bad = statusesIn(answer).filter((status) => status >= 500);
      return bad.length > 0 ? `${bad.join(' ')}: ${answer.toString('latin1').slice(0, 600)}` : undefined;
    });
  });

  it('a component’s server', () =>
    barrage(
      'component-server',
      http1(
        [dialTls(ports.component), dialTcp(ports.component)],
        {
          paths: ['/healthz', '/livez?verbose', '/readyz', '/metrics', '/configz', '/version', '/page?a=b', '/nothing'],
          headers: ['Authorization: Bearer a'],
        },
        () => false,
      ),
    ));

  it('kube-proxy’s health and metrics', () =>
    barrage(
      'kube-proxy',
      http1(
        [dialTcp(ports.kubeProxy)],
        { paths: ['/healthz', '/livez', '/metrics', '/proxyMode', '/nothing'] },
        () => false,
      ),
    ));

  it('an Ingress with a hostile endpoint', () =>
    // 502: the endpoint's answer was none.
    barrage(
      'ingress',
      http1(
        [dialTcp(ports.ingress), dialTls(ports.secureIngress)],
        { paths: ['/', '/none', '/a?b=c'] },
        (status) => status === 502 || status === 999,
      ),
    ));

  it('cluster DNS, over UDP and TCP', async () => {
    const socket = dgram.createSocket('udp4');
    socket.on('error', () => {});
    await barrage('dns', async (random) => {
      const message = hostileDnsMessage(random);
      if (random.next() < 0.5) {
        socket.send(message, ports.dns, '127.0.0.1');
        return undefined;
      }
      const length = Buffer.alloc(2);
      length.writeUInt16BE(random.next() < 0.9 ? Math.min(65_535, message.length) : random.integer(65_536));
      await exchange(
        dialTcp(ports.dns),
        Array.from({ length: 1 + random.integer(5) }, () => Buffer.concat([length, message.subarray(0, 65_535)])),
      );
      return undefined;
    });
    const answered = once(socket, 'message');
    socket.send(
      encodeMessage({
        id: 7,
        recursionDesired: true,
        questions: [{ name: 'kubernetes.default.svc.cluster.local', type: TYPE.A, class: 1 }],
      }),
      ports.dns,
      '127.0.0.1',
    );
    let [bytes] = (await answered) as [Buffer];
    while (decodeMessage(bytes).id !== 7) [bytes] = (await once(socket, 'message')) as [Buffer];
    expect(decodeMessage(bytes).answers).toHaveLength(1);
    socket.close();
  });
});

const pick = <T>(random: Random, from: readonly T[]): T => from[random.integer(from.length)]!;

/** An upgrade that is accepted, and then what should not follow it. */
function streamingSession(random: Random, path: string, echoPort: number): Buffer[] {
  const isForward = path.startsWith('/portforward');
  if (random.next() < 0.5) {
    const protocol = pick(
      random,
      isForward
        ? ['SPDY/3.1+portforward.k8s.io', 'v4.channel.k8s.io', 'v4.base64.channel.k8s.io']
        : ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'base64.channel.k8s.io'],
    );
    const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`;
    return [Buffer.from(head), ...Array.from({ length: 1 + random.integer(5) }, () => hostileFrames(random))];
  }
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${isForward ? 'portforward.k8s.io' : 'v4.channel.k8s.io'}\r\n\r\n`;
  const frames = Array.from({ length: 1 + random.integer(8) }, () => spdyAction(random, echoPort));
  const bytes = Buffer.concat(frames);
  return [Buffer.from(head), random.next() < 0.2 ? bytes.subarray(0, random.integer(bytes.length + 1)) : bytes];
}

function spdyAction(random: Random, echoPort: number): Buffer {
  const id = random.integer(8);
  const headers = (pairs: Record<string, string>): Buffer =>
    compressed(
      Buffer.concat([
        numbers(Object.keys(pairs).length),
        ...Object.entries(pairs)
          .flat()
          .flatMap((text) => [numbers(text.length), Buffer.from(text)]),
      ]),
    );
  return pick<() => Buffer>(random, [
    () =>
      controlFrame(
        CONTROL_TYPES.SYN_STREAM,
        Buffer.concat([
          numbers(id, 0),
          Buffer.alloc(2),
          headers({
            streamtype: pick(random, ['error', 'data', 'stdin', 'stdout', 'stderr', 'resize', '__proto__', '']),
            port: pick(random, [String(echoPort), '0', '-1', 'x', '99999']),
            requestid: String(random.integer(3)),
          }),
        ]),
        random.integer(2),
      ),
    () =>
      controlFrame(
        CONTROL_TYPES.SYN_STREAM,
        Buffer.concat([numbers(id, 0), Buffer.alloc(2), Buffer.from(random.bytes(30))]),
      ),
    // A few kilobytes that inflate to many megabytes.
    () => controlFrame(CONTROL_TYPES.SYN_STREAM, Buffer.concat([numbers(id, 0), Buffer.alloc(2), BOMB])),
    () => controlFrame(CONTROL_TYPES.SYN_STREAM, Buffer.alloc(random.integer(12))),
    () => controlFrame(CONTROL_TYPES.HEADERS, Buffer.concat([numbers(id), headers({ a: 'b' })])),
    () => controlFrame(CONTROL_TYPES.RST_STREAM, Buffer.alloc(random.integer(9))),
    () =>
      Buffer.concat(Array.from({ length: random.integer(3000) }, () => controlFrame(CONTROL_TYPES.PING, numbers(1)))),
    () => controlFrame(CONTROL_TYPES.GOAWAY, numbers(0, 0)),
    () => dataFrame(id, Buffer.from('}'.repeat(random.integer(60_000))), random.integer(2)),
    () => dataFrame(id, Buffer.from(random.bytes(random.integer(5000))), random.integer(256)),
    () => hostileFrames(random),
  ])();
}

const compressed = (block: Buffer): Buffer =>
  zlib.deflateSync(block, { dictionary: SPDY_DICTIONARY, finishFlush: zlib.constants.Z_SYNC_FLUSH });

/** Thirty megabytes of nothing, in thirty kilobytes. */
const BOMB = compressed(Buffer.alloc(30 * 1024 * 1024));
