/** Exec and attach over SPDY/3.1: the client opens a stream for each of stdin, stdout, stderr, error and resize. */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../kernel/index.ts';
import {
  parseResize,
  plainTextOf,
  statusOf,
  type Outcome,
  type RemoteCommand,
  type TerminalSize,
  type WantedStreams,
} from './remote-command.ts';
import { SpdyConnection, type SpdyStream } from './spdy/connection.ts';

/** `channel.k8s.io` is the first version; old clients send no version at all. */
export const SPDY_COMMAND_PROTOCOLS = [
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
] as const;

const STREAMS_TIMEOUT_MS = 30_000;
/** `{"Width":65535,"Height":65535}` and some room. */
const MAX_SIZE_LENGTH = 1024;

interface SpdyCommandOptions {
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly protocol: string;
  readonly wanted: WantedStreams;
  readonly clock: Clock;
}

/** Waits for the streams that the request wants; rejects when the client does not open them in time. */
export async function spdyCommand({
  socket,
  head,
  protocol,
  wanted,
  clock,
}: SpdyCommandOptions): Promise<RemoteCommand> {
  const hasResize = wanted.terminal && (protocol === 'v4.channel.k8s.io' || protocol === 'v3.channel.k8s.io');
  const expected = new Set([
    'error',
    ...(wanted.stdin ? ['stdin'] : []),
    ...(wanted.stdout ? ['stdout'] : []),
    ...(wanted.stderr && !wanted.terminal ? ['stderr'] : []),
    ...(hasResize ? ['resize'] : []),
  ]);
  const { connection, streams } = await openStreams(socket, head, { expected, clock });
  const [stdin, stdout, stderr] = [streams.get('stdin'), streams.get('stdout'), streams.get('stderr')];
  // The server's side of stdin stays open to the end, because clients stop sending when it closes.
  stdout?.resume();
  stderr?.resume();
  const errors = streams.get('error')!;
  errors.resume();
  const sizes = readSizes(streams.get('resize'));
  return {
    ...(stdin && { stdin }),
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    onResize: (listener) => sizes.listen(listener),
    disconnected: connection.ended,
    async finish(outcome: Outcome) {
      const text = protocol === 'v4.channel.k8s.io' ? JSON.stringify(statusOf(outcome)) : plainTextOf(outcome);
      await Promise.all([ended(stdout), ended(stderr), ended(stdin), ended(errors, text)]);
      await connection.close();
    },
  };
}

/** Accepts a connection and waits until the client has opened a stream of each expected type. */
async function openStreams(
  socket: Duplex,
  head: Buffer,
  { expected, clock }: { expected: ReadonlySet<string>; clock: Clock },
): Promise<{ connection: SpdyConnection; streams: ReadonlyMap<string, SpdyStream> }> {
  const streams = new Map<string, SpdyStream>();
  let complete: () => void = () => {};
  const opened = new Promise<void>((resolve) => (complete = resolve));
  const connection = new SpdyConnection(socket, head, {
    onStream: (stream) => {
      const type = stream.headers['streamtype'] ?? '';
      if (!expected.has(type) || streams.has(type)) {
        stream.destroy();
        return;
      }
      streams.set(type, stream);
      if (streams.size === expected.size) complete();
    },
  });
  const limit = clock.deadline(STREAMS_TIMEOUT_MS, connection.ended);
  try {
    await Promise.race([
      opened,
      new Promise((_resolve, reject) =>
        limit.addEventListener('abort', () => reject(new Error('the client did not open its streams')), { once: true }),
      ),
    ]);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return { connection, streams };
}

/** Reads terminal sizes: JSON objects, one after the other. */
function readSizes(stream: SpdyStream | undefined): { listen(listener: (size: TerminalSize) => void): void } {
  let text = '';
  let last: TerminalSize | undefined;
  let onSize: (size: TerminalSize) => void = () => {};
  stream?.on('data', (chunk: Buffer) => {
    const parts = (text + chunk.toString('latin1')).split('}');
    const rest = parts.pop() ?? '';
    // Only the last complete size counts.
    const size = parts.length === 0 ? undefined : parseResize(`${parts.at(-1)}}`);
    text = rest.length > MAX_SIZE_LENGTH ? '' : rest;
    if (size) onSize((last = size));
  });
  return {
    listen(listener) {
      onSize = listener;
      if (last) listener(last);
    },
  };
}

function ended(stream: SpdyStream | undefined, last = ''): Promise<void> {
  if (stream === undefined || stream.destroyed || stream.writableFinished) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('close', () => resolve());
    stream.once('finish', () => resolve());
    if (!stream.writableEnded) stream.end(last);
  });
}
