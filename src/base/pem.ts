/** PEM blocks, found as Go's decoder finds them, in linear time. */
interface PemBlock {
  readonly type: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly bytes: Buffer;
  /** The text of the block without its last line break. */
  readonly text: string;
}

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const DASHES = '-----';
const HEADER = /^([^:\n]+):([^\n]*)\n/;

export function* pemBlocks(text: string): Generator<PemBlock> {
  let at = 0;
  for (;;) {
    const end = lineStart(text, END, at);
    if (end < 0) return;
    const endOfLine = text.indexOf('\n', end);
    const next = endOfLine < 0 ? text.length : endOfLine + 1;
    const before = text.slice(at, end);
    at = next;
    const begin = lastLineStart(before, BEGIN);
    if (begin < 0) continue;
    const block = decodeBlock(before.slice(begin), text.slice(end, next).trimEnd());
    if (block) yield block;
  }
}

/** The start of the first line with this prefix; `from` is the start of a line. */
function lineStart(text: string, start: string, from: number): number {
  if (text.startsWith(start, from)) return from;
  const found = text.indexOf(`\n${start}`, from);
  return found < 0 ? -1 : found + 1;
}

function lastLineStart(text: string, start: string): number {
  const found = text.lastIndexOf(`\n${start}`);
  return found >= 0 ? found + 1 : text.startsWith(start) ? 0 : -1;
}

/** `block` is the text before the END line. */
function decodeBlock(block: string, endLine: string): PemBlock | undefined {
  const endOfLine = block.indexOf('\n');
  const beginLine = block.slice(0, Math.max(0, endOfLine)).trimEnd();
  if (!beginLine.endsWith(DASHES) || beginLine.length < BEGIN.length + DASHES.length) return undefined;
  const type = beginLine.slice(BEGIN.length, -DASHES.length);
  if (endLine !== `${END}${type}${DASHES}`) return undefined;
  let body = block.slice(endOfLine + 1);
  const headers = new Map<string, string>();
  for (let header = HEADER.exec(body); header; header = HEADER.exec(body)) {
    headers.set(header[1]!.trim(), header[2]!.trim());
    body = body.slice(header[0].length);
  }
  const base64 = body.replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0) return undefined;
  return { type, headers, bytes: Buffer.from(base64, 'base64'), text: block + endLine };
}
