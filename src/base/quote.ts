/** A string as Go's %q prints it. */
export function quote(text: string): string {
  let out = '"';
  for (const char of text) {
    const code = char.codePointAt(0)!;
    if (char === '"' || char === '\\') out += `\\${char}`;
    else if (ESCAPES[char] !== undefined) out += ESCAPES[char];
    else if (code < 0x20 || code === 0x7f) out += `\\x${code.toString(16).padStart(2, '0')}`;
    else if (code >= 0xd800 && code <= 0xdfff) out += '\ufffd';
    else if (!isPrintable(char, code)) out += code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
    else out += char;
  }
  return `${out}"`;
}

const ESCAPES: Record<string, string | undefined> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Go prints letters, marks, numbers, punctuation, symbols and the ASCII space; everything else is escaped. */
const isPrintable = (char: string, code: number): boolean => (code < 0x7f ? true : /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(char));
