/** What the cases of conformance send, and what they expect of the server. */
import { expect } from 'vitest';
import * as f from '../frames.ts';
import { blockOf } from './hpack.ts';
import { frame, GET, POST, RawPeer, settings, uint32 } from './peer.ts';

export type Fields = typeof GET;

/** Which frames go out, one after the other: each after the server has come to rest. */
type Sent = readonly Buffer[];
type Expectation = (peer: RawPeer) => void | Promise<void>;
export type Case = readonly [name: string, sends: Sent, expects: Expectation, how?: typeof HELD | typeof UNGREETED];

/** The server does not answer: the stream stays as it is. */
export const HELD = 'held';
/** The case sends the preface and settings itself. */
export const UNGREETED = 'ungreeted';

export const END = f.END_HEADERS | f.END_STREAM;
export const NOTHING_SET: Sent = [Buffer.concat([f.PREFACE, settings()])];
const BODY = Buffer.from('0123456789');
const OK = [':status', '200', 'content-type', 'text/plain'];

/** A server that answers every request, once its body is there, with ten bytes. */
function conformingPeer(held: boolean): RawPeer {
  return new RawPeer({
    begin: (stream) => {
      if (held) return;
      void stream.readBody(1_000_000).then(
        () => stream.answer(OK, [], BODY),
        () => {},
      );
    },
  });
}

export async function runCase([, sends, expects, how]: Case): Promise<void> {
  const peer = conformingPeer(how === HELD);
  for (const bytes of how === UNGREETED ? sends : [...NOTHING_SET, ...sends]) await peer.send(bytes);
  await expects(peer);
  peer.connection.destroy();
}

// What is sent

export const request = (fields: Fields, flags = END, stream = 1): Buffer =>
  frame(f.HEADERS, flags, stream, blockOf(fields));
export const get = (stream = 1): Buffer => request(GET, END, stream);
export const post = (...more: Fields): Buffer => request([...POST, ...more], f.END_HEADERS);
/** A GET whose header block ends with these bytes. */
export const getWith = (bytes: Buffer): Buffer => frame(f.HEADERS, END, 1, Buffer.concat([blockOf(GET), bytes]));
export const getAfter = (bytes: Buffer): Buffer => frame(f.HEADERS, END, 1, Buffer.concat([bytes, blockOf(GET)]));
export const continuation = (block: Buffer, flags: number = f.END_HEADERS, stream = 1): Buffer =>
  frame(f.CONTINUATION, flags, stream, block);
export const ping = (text = 'abcdefgh', flags = 0, stream = 0): Buffer =>
  frame(f.PING, flags, stream, Buffer.from(text));
export const priorityPayload = (dependsOn: number, { weight = 255, exclusive = false } = {}): Buffer =>
  Buffer.concat([uint32((dependsOn | (exclusive ? 0x8000_0000 : 0)) >>> 0), Buffer.from([weight])]);
export const priority = (stream: number, dependsOn: number, more?: { weight?: number; exclusive?: boolean }): Buffer =>
  frame(f.PRIORITY, 0, stream, priorityPayload(dependsOn, more));
export const windowSetting = (...values: readonly number[]): Buffer =>
  settings(...values.map((value) => [f.SETTING.initialWindowSize, value] as const));

// What is expected

const goesOn = (peer: RawPeer): void => expect([peer.codeOf(0), peer.ended]).toEqual([undefined, false]);

export const answered =
  (stream = 1) =>
  (peer: RawPeer): void => {
    goesOn(peer);
    expect(peer.isComplete(stream)).toBe(true);
  };

/** The connection ends, and says why. */
const connectionError =
  (code: number) =>
  (peer: RawPeer): void =>
    expect([peer.codeOf(0), peer.ended]).toEqual([code, true]);

/** One stream ends, and the connection goes on. */
export const streamError =
  (code: number, stream = 1) =>
  async (peer: RawPeer): Promise<void> => {
    expect(peer.codeOf(stream)).toBe(code);
    await peer.send(ping('alive...'));
    pong('alive...')(peer);
  };

export const pong =
  (text = 'abcdefgh') =>
  (peer: RawPeer): void => {
    goesOn(peer);
    expect(peer.of(0, f.PING).map(({ flags, payload }) => [flags, payload.toString()])).toEqual([[f.ACK, text]]);
  };

export const isAnswered = answered();
export const isAlive = pong();

const ofEach = (expectation: (code: number) => Expectation): Record<keyof typeof f.ERROR, Expectation> =>
  Object.fromEntries(Object.entries(f.ERROR).map(([name, code]) => [name, expectation(code)])) as Record<
    keyof typeof f.ERROR,
    Expectation
  >;

/** The connection ends with one of the codes, or stream 1 does. */
export const ends = ofEach(connectionError);
export const resets = ofEach((code) => streamError(code));

/** So many settings of ours were acknowledged. */
export const settingsAcknowledged =
  (count: number) =>
  (peer: RawPeer): void => {
    goesOn(peer);
    expect(peer.of(0, f.SETTINGS).filter(({ flags }) => flags & f.ACK)).toHaveLength(count);
  };

/** The lengths of the frames of data that came. */
export const dataOf =
  (...lengths: readonly number[]) =>
  (peer: RawPeer): void => {
    goesOn(peer);
    expect(peer.of(1, f.DATA).map(({ payload }) => payload.length)).toEqual(lengths);
  };
