/** Base64 as Go decodes it: canonical text, and the offset of the first fault. */
const PLAIN = /^(?:[A-Za-z0-9+/]{4})*$/;
const MAX_PATTERN_LENGTH = 4096;

/** The text as upstream encodes the bytes again, without line breaks and stray bits; or Go's error. */
export function canonicalBase64(text: string): { text: string } | { error: string } {
  if (text.length <= MAX_PATTERN_LENGTH && PLAIN.test(text)) return { text };
  const fault = faultOffset(text);
  if (fault !== undefined) return { error: `illegal base64 data at input byte ${fault}` };
  return { text: Buffer.from(text, 'base64').toString('base64') };
}

/** Go's standard encoding: groups of four, line breaks anywhere, padding required, nothing after the padding. */
function faultOffset(text: string): number | undefined {
  let inGroup = 0;
  const skipBreaks = (from: number): number => {
    let i = from;
    while (i < text.length && (text[i] === '\n' || text[i] === '\r')) i++;
    return i;
  };
  for (let i = skipBreaks(0); i < text.length; i = skipBreaks(i + 1)) {
    if (isDigit(text.charCodeAt(i))) {
      inGroup = (inGroup + 1) % 4;
      continue;
    }
    if (text[i] !== '=' || inGroup < 2) return byteOffset(text, i);
    let after = skipBreaks(i + 1);
    if (inGroup === 2) {
      if (after === text.length) return byteOffset(text, text.length);
      if (text[after] !== '=') return byteOffset(text, after - 1);
      after = skipBreaks(after + 1);
    }
    return after < text.length ? byteOffset(text, after) : undefined;
  }
  return inGroup === 0 ? undefined : byteOffset(text, text.length) - inGroup;
}

const byteOffset = (text: string, index: number): number => Buffer.byteLength(text.slice(0, index));

const isDigit = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x61 && code <= 0x7a) ||
  code === 0x2b ||
  code === 0x2f;
