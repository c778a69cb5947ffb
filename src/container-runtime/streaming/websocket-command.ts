/**
 * Exec and attach over WebSocket: the first byte of a message is its channel. v5 adds a channel that closes another
 * one, so that a client can close stdin and still read the output.
 */
import { PassThrough, Writable } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import {
  parseResize,
  plainTextOf,
  statusOf,
  type Outcome,
  type RemoteCommand,
  type TerminalSize,
  type WantedStreams,
} from './remote-command.ts';

const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

export const COMMAND_PROTOCOLS = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'v4.base64.channel.k8s.io',
  'channel.k8s.io',
  'base64.channel.k8s.io',
] as const;

const CLOSE_NORMAL = 1000;

export function websocketCommand(
  socket: WebSocket,
  { protocol, wanted }: { protocol: string; wanted: WantedStreams },
): RemoteCommand {
  const base64 = protocol.includes('base64');
  const disconnected = new AbortController();
  const stdin = wanted.stdin ? new PassThrough() : undefined;

  const send = (channel: number, data: Buffer, done: (error?: Error) => void): void => {
    if (socket.readyState !== socket.OPEN) done(new Error('the client is gone'));
    else if (base64) socket.send(`${channel}${data.toString('base64')}`, done);
    else socket.send(Buffer.concat([Buffer.from([channel]), data]), done);
  };
  const output = (channel: number): Writable => {
    const stream = new Writable({ write: (chunk: Buffer, _encoding, done) => send(channel, chunk, done) });
    stream.on('error', () => {});
    return stream;
  };
  const hasStderr = wanted.stderr && !wanted.terminal;
  // An empty message tells the client that the connection is established. Only on the first channel: kubectl logs an
  // error for channels that it has not created yet.
  send(wanted.stdout ? CHANNEL.stdout : hasStderr ? CHANNEL.stderr : CHANNEL.error, Buffer.alloc(0), () => {});

  const resize = new ResizeChannel();
  socket.on('message', (data: RawData) => receive(socket, decodeMessage(bytesOf(data), base64), { stdin, resize }));
  socket.on('error', () => {});
  socket.once('close', () => {
    stdin?.end();
    disconnected.abort();
  });

  const stdout = wanted.stdout ? output(CHANNEL.stdout) : undefined;
  const stderr = hasStderr ? output(CHANNEL.stderr) : undefined;
  return {
    ...(stdin && { stdin }),
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    onResize: (listener) => resize.listen(listener),
    disconnected: disconnected.signal,
    async finish(outcome: Outcome) {
      // What waits in them comes before the outcome: clients stop reading at it.
      await Promise.all([stdout, stderr].map((stream) => new Promise<void>((resolve) => end(stream, resolve))));
      // Before v4 there was no Status: the text of an error, and nothing after success.
      const text = /^v[45]\./.test(protocol) ? JSON.stringify(statusOf(outcome)) : plainTextOf(outcome);
      if (text !== '') await new Promise<void>((resolve) => send(CHANNEL.error, Buffer.from(text), () => resolve()));
      if (socket.readyState === socket.OPEN) socket.close(CLOSE_NORMAL);
    },
  };
}

/** Calls back when everything is sent, or the client is gone. */
function end(stream: Writable | undefined, done: () => void): void {
  if (stream) stream.end(() => done());
  else done();
}

/** The client's terminal size: the last one, and every later one for the listener. */
class ResizeChannel {
  #last: TerminalSize | undefined;
  #listener: (size: TerminalSize) => void = () => {};

  receive(content: Buffer): void {
    const size = parseResize(content.toString());
    if (size) this.#listener((this.#last = size));
  }

  listen(listener: (size: TerminalSize) => void): void {
    this.#listener = listener;
    if (this.#last) listener(this.#last);
  }
}

interface ChannelMessage {
  readonly channel: number;
  readonly content: Buffer;
}

/** In the base64 protocols the channel is an ASCII digit. Undefined for an empty message. */
function decodeMessage(message: Buffer, base64: boolean): ChannelMessage | undefined {
  if (message.length === 0) return undefined;
  if (!base64) return { channel: message[0]!, content: message.subarray(1) };
  return { channel: message[0]! - 0x30, content: Buffer.from(message.toString('latin1', 1), 'base64') };
}

function receive(
  socket: WebSocket,
  message: ChannelMessage | undefined,
  { stdin, resize }: { stdin: PassThrough | undefined; resize: ResizeChannel },
): void {
  if (message === undefined) return;
  const { channel, content } = message;
  if (channel === CHANNEL.stdin && stdin && !stdin.writableEnded && content.length > 0) {
    if (stdin.write(content)) return;
    socket.pause();
    stdin.once('drain', () => socket.resume());
  } else if (channel === CHANNEL.resize) resize.receive(content);
  else if (channel === CHANNEL.close && content[0] === CHANNEL.stdin) stdin?.end();
}

export function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
