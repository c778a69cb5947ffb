/** Port-forward: forwards a client's streams to ports inside of a sandbox's network namespace. */
import type net from 'node:net';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { WebSocket } from 'ws';
import { errorMessage } from '../../base/index.ts';
import type { PortForwardRequest } from '../../cri/index.ts';
import { type Clock, untilAborted } from '../../kernel/index.ts';
import { connectIn } from '../../net/netns/index.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import { sandboxModes } from '../sandboxes/sandbox-namespaces.ts';
import { findSandbox } from '../sandboxes/sandbox-status.ts';
import { SpdyConnection, type SpdyStream } from './spdy/connection.ts';
import { bytesOf } from './websocket-command.ts';

export const PORT_FORWARD_PROTOCOL = 'portforward.k8s.io';
export const TUNNEL_PROTOCOL = 'SPDY/3.1+portforward.k8s.io';
export const PORT_CHANNEL_PROTOCOLS = ['v4.channel.k8s.io', 'v4.base64.channel.k8s.io'] as const;

/** How long a data stream waits for its error stream. */
const PAIR_TIMEOUT_MS = 30_000;

/** Connects to a port on the sandbox's loopback interface. */
type Dial = (port: number) => Promise<net.Socket>;

export function dialerOf(parts: RuntimeParts, { podSandboxId }: PortForwardRequest): Dial {
  const record = findSandbox(parts, podSandboxId);
  const netns = sandboxModes(record.config, parts.nodeNetns).hostNetwork
    ? parts.nodeNetns
    : parts.paths.sandbox(record.id).net;
  return async (port) => {
    try {
      return await connected(connectIn({ netns, host: '127.0.0.1', port }));
    } catch (error) {
      return connected(connectIn({ netns, host: '::1', port })).catch(() => {
        throw new Error(
          `failed to connect to localhost:${port} inside namespace ${JSON.stringify(record.id)}: ${errorMessage(error)}`,
        );
      });
    }
  };
}

function connected(socket: net.Socket): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

/** Over SPDY, a connection is a pair of streams, `error` and `data`, with port and request id in their headers. */
export async function spdyPortForward(
  transport: Duplex,
  head: Buffer,
  { dial, clock }: { dial: Dial; clock: Clock },
): Promise<void> {
  const waiting = new Map<string, SpdyStream>();
  const connection = new SpdyConnection(transport, head, {
    onStream: (stream) => {
      const type = stream.headers['streamtype'];
      if (type !== 'error' && type !== 'data') {
        stream.destroy();
        return;
      }
      // Clients that send no request id open the data stream right after the error stream.
      const key = stream.headers['requestid'] ?? String(type === 'error' ? stream.id : stream.id - 2);
      const other = waiting.get(key);
      if (other === undefined || other.headers['streamtype'] === type) {
        waiting.set(key, stream);
        const timer = clock.after(PAIR_TIMEOUT_MS, () => {
          if (waiting.get(key) !== stream) return;
          waiting.delete(key);
          stream.destroy();
        });
        stream.once('close', () => timer.cancel());
        return;
      }
      waiting.delete(key);
      const [data, errors] = type === 'data' ? [stream, other] : [other, stream];
      void forward(Number(stream.headers['port']), dial, data, errors);
    },
  });
  await untilAborted(connection.ended);
}

/** Never rejects: errors are written to the error stream. */
async function forward(port: number, dial: Dial, data: Duplex, errors: Duplex): Promise<void> {
  errors.resume();
  try {
    if (!(port > 0 && port < 65_536)) throw new Error(`${port} is not a port`);
    const socket = await dial(port);
    await copyBothWays(data, socket);
    errors.end();
  } catch (error) {
    errors.end(`error forwarding port ${port} to pod: ${errorMessage(error)}`);
    data.end();
  }
  await finished(errors, { readable: false }).catch(() => {});
  data.destroy();
  errors.destroy();
}

/** Copies in both directions until both have ended; half-closes are passed on. */
async function copyBothWays(client: Duplex, pod: Duplex): Promise<void> {
  client.pipe(pod);
  pod.pipe(client);
  const over = async (stream: Duplex): Promise<void> => finished(stream).catch(() => {});
  client.once('close', () => pod.destroy());
  pod.on('error', () => {});
  pod.once('close', () => client.end());
  await over(pod);
}

const MAX_UNSENT_BYTES = 1024 * 1024;

/**
 * Over WebSocket channels, the n-th port of the URL has data on channel 2n and errors on 2n+1. The first message of
 * each channel is the port, as two bytes in little endian.
 */
export async function channelPortForward(
  socket: WebSocket,
  { protocol, ports, dial }: { protocol: string; ports: readonly number[]; dial: Dial },
): Promise<void> {
  const base64 = protocol.includes('base64');
  const send = (channel: number, data: Buffer, sent?: () => void): void => {
    if (socket.readyState !== socket.OPEN) return;
    const message = base64
      ? `${String.fromCharCode(0x30 + channel)}${data.toString('base64')}`
      : Buffer.concat([Buffer.from([channel]), data]);
    socket.send(message, sent);
  };
  const connections = ports.map((port, index) => {
    const greeting = Buffer.from([port & 0xff, port >> 8]);
    send(index * 2, greeting);
    send(index * 2 + 1, greeting);
    return dial(port).then(
      (pod) => {
        pod.on('data', (chunk: Buffer) => {
          // A client that reads slowly slows the pod down.
          if (socket.bufferedAmount > MAX_UNSENT_BYTES) pod.pause();
          send(index * 2, chunk, () => pod.resume());
        });
        pod.on('error', (error) => send(index * 2 + 1, Buffer.from(error.message)));
        socket.once('close', () => pod.destroy());
        return pod;
      },
      (error: unknown) => {
        send(index * 2 + 1, Buffer.from(`error forwarding port ${port} to pod: ${errorMessage(error)}`));
        return undefined;
      },
    );
  });
  socket.on('message', (data) => {
    const message = bytesOf(data);
    const channel = base64 ? message[0]! - 0x30 : message[0]!;
    const content = base64 ? Buffer.from(message.toString('latin1', 1), 'base64') : message.subarray(1);
    if (channel % 2 !== 0) return;
    void connections[channel / 2]?.then((pod) => {
      if (pod === undefined || pod.destroyed || pod.write(content)) return;
      socket.pause();
      const goOn = (): void => {
        pod.off('drain', goOn).off('close', goOn);
        socket.resume();
      };
      pod.on('drain', goOn).on('close', goOn);
    });
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // The client learns by the end of the WebSocket that the pod has said all.
  const over = connections.map((connection) => connection.then((pod) => pod && finished(pod).catch(() => {})));
  await Promise.race([closed, Promise.all(over)]);
  socket.close();
  await closed;
}
