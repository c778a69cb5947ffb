/** HPACK's Huffman code (RFC 7541, appendix B). It is canonical: the code lengths define it. */

/** Code lengths in bits of the 256 bytes, run-length encoded: `28*7` is seven bytes with 28 bits. */
const LENGTHS =
  '13 23 28*7 24 30 28*2 30 28*8 30 28*9 6 10*2 12 13 6 8 11 10*2 8 11 8 6*3 5*3 6*7 7 8 15 6 12 10 13 6 7*22 8 7 8 13 19 13 14 6 15 5 6 5 6 5 6*3 5 7*2 6*3 5 6 7 6 5*2 6 7*5 15 11 14 13 28 ' +
  '20 22 20*2 22*3 23 22 23*5 24 23 24*2 22 23 24 23*4 21 22 23 22 23*2 24 22 21 20 22*2 23*2 21 23 22*2 24 21 22 23*2 21*2 22 21 23 22 23*2 20 22*3 23 22*2 23 26*2 20 19 22 23 22 25 26*3 27*2 26 ' +
  '24 25 19 21 26 27*2 26 27 24 21*2 26*2 28 27*3 20 24 20 21 22 21*2 23 22*2 25*2 24*2 26 23 26 27 26*2 27*5 28 27*5 26';

/** The code length of each byte, in bits. */
export const CODE_LENGTHS: readonly number[] = LENGTHS.split(' ').flatMap((run) => {
  const [length, times = '1'] = run.split('*');
  return Array.from({ length: Number(times) }, () => Number(length));
});

const NO_CHILD = 0;
const NIBBLES = 16;
/** A step's low bits are the node it ends at, its high bits the byte it completes plus one. NOWHERE: invalid code. */
const BYTE_SHIFT = 10;
const NODE_MASK = (1 << BYTE_SHIFT) - 1;
const NOWHERE = NODE_MASK;

const tree = buildTree();
const steps = buildSteps();
const mayEnd = buildEnds();

/** Two children per node: another node, or `~byte` for a leaf. */
function buildTree(): Int16Array {
  const bytes = CODE_LENGTHS.map((_, byte) => byte).sort((a, b) => CODE_LENGTHS[a]! - CODE_LENGTHS[b]! || a - b);
  const children = new Int16Array(2 * 512);
  let nodes = 1;
  let code = 0;
  let length = 0;
  for (const byte of bytes) {
    code <<= CODE_LENGTHS[byte]! - length;
    length = CODE_LENGTHS[byte]!;
    let node = 0;
    for (let bit = length - 1; bit > 0; bit--) {
      const at = 2 * node + ((code >> bit) & 1);
      if (children[at] === NO_CHILD) children[at] = nodes++;
      node = children[at]!;
    }
    children[2 * node + (code & 1)] = ~byte;
    code++;
  }
  return children.slice(0, 2 * nodes);
}

/** The step of each node for each four bits. The shortest code has five bits, so a step completes at most one byte. */
function buildSteps(): Int32Array {
  const table = new Int32Array((tree.length / 2) * NIBBLES);
  for (let from = 0; from < tree.length / 2; from++) {
    for (let nibble = 0; nibble < NIBBLES; nibble++) {
      let node = from;
      let completed = 0;
      for (let bit = 3; bit >= 0 && node !== NOWHERE; bit--) {
        const child = tree[2 * node + ((nibble >> bit) & 1)]!;
        if (child < 0) {
          completed = ~child + 1;
          node = 0;
        } else node = child === NO_CHILD ? NOWHERE : child;
      }
      table[from * NIBBLES + nibble] = (completed << BYTE_SHIFT) | node;
    }
  }
  return table;
}

/** The nodes that input may end at: the padding is fewer than eight one-bits. */
function buildEnds(): Uint8Array {
  const ends = new Uint8Array(tree.length / 2);
  for (let node = 0, bits = 0; bits < 8; bits++) {
    ends[node] = 1;
    node = tree[2 * node + 1]!;
  }
  return ends;
}

/** Undefined when the bytes are not a valid code. */
export function decodeHuffman(bytes: Buffer, from: number, to: number): string | undefined {
  const text = Buffer.allocUnsafe(Math.ceil(((to - from) * 8) / 5));
  let length = 0;
  let node = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    const first = steps[node * NIBBLES + (byte >> 4)]!;
    if (first > NODE_MASK) text[length++] = (first >> BYTE_SHIFT) - 1;
    node = first & NODE_MASK;
    if (node === NOWHERE) return undefined;
    const second = steps[node * NIBBLES + (byte & 0xf)]!;
    if (second > NODE_MASK) text[length++] = (second >> BYTE_SHIFT) - 1;
    node = second & NODE_MASK;
    if (node === NOWHERE) return undefined;
  }
  return mayEnd[node] === 1 ? text.toString('latin1', 0, length) : undefined;
}
