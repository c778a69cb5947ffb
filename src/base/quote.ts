/** A string as Go's %q prints it. */
export const quote = (text: string): string => (PLAIN.test(text) ? `"${text}"` : `"${text.replace(ESCAPED, escape)}"`);

/** Texts without characters to escape, which are most. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** Go escapes everything except letters, marks, numbers, punctuation, symbols and the ASCII space. */
const ESCAPED = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

function escape(char: string): string {
  const code = char.codePointAt(0)!;
  const known = ESCAPES.get(char);
  if (known !== undefined) return known;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
