import { TransportError } from './transport.ts';

const LINE_FEED = 0x0a;

/** Parses a stream of JSON lines. A last line without a line feed was cut off and fails as truncated. */
export async function* readJsonLines<T>(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<T> {
  let rest: Buffer[] = [];
  for await (const piece of pieces) {
    const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let start = 0;
    for (let end = buffer.indexOf(LINE_FEED); end !== -1; end = buffer.indexOf(LINE_FEED, start)) {
      const line = buffer.subarray(start, end);
      start = end + 1;
      const whole = rest.length === 0 ? line : Buffer.concat([...rest, line]);
      rest = [];
      if (whole.length > 0) yield parseLine<T>(whole);
    }
    if (start < buffer.length) rest.push(buffer.subarray(start));
  }
  if (rest.length > 0) throw new TransportError('truncated', 'the stream ended in the middle of a line');
}

function parseLine<T>(line: Buffer): T {
  try {
    return JSON.parse(line.toString('utf8')) as T;
  } catch (error) {
    throw new TransportError('malformed', 'a line of the stream is not JSON', { cause: error });
  }
}
