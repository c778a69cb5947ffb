/** Escape sequences of CEL string and bytes literals. */
const SIMPLE: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    a: '\x07',
    b: '\b',
    f: '\f',
    n: '\n',
    r: '\r',
    t: '\t',
    v: '\v',
    '\\': '\\',
    "'": "'",
    '"': '"',
    '`': '`',
    '?': '?',
  }),
);
const ESCAPE =
  /\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/g;

/** Throws a RangeError for an invalid escape. */
export function unescapeString(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    ESCAPE,
    (_all, x?: string, bigX?: string, u?: string, bigU?: string, octal?: string, simple?: string) => {
      if (simple !== undefined) return simpleEscape(simple);
      const code = octal === undefined ? parseInt((x ?? bigX ?? u ?? bigU)!, 16) : parseInt(octal, 8);
      if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new RangeError('invalid unicode code point');
      return String.fromCodePoint(code);
    },
  );
}

export function unescapeBytes(text: string): Uint8Array {
  const pieces: Buffer[] = [];
  let last = 0;
  for (const match of text.matchAll(ESCAPE)) {
    pieces.push(Buffer.from(text.slice(last, match.index)));
    last = match.index + match[0].length;
    const [, x, bigX, u, bigU, octal, simple] = match;
    if (simple !== undefined) pieces.push(Buffer.from(simpleEscape(simple)));
    else if (u !== undefined || bigU !== undefined)
      throw new RangeError('unable to unescape bytes: unicode escapes are not allowed in bytes');
    else pieces.push(Buffer.from([octal === undefined ? parseInt((x ?? bigX)!, 16) : parseInt(octal, 8)]));
  }
  pieces.push(Buffer.from(text.slice(last)));
  return Buffer.concat(pieces);
}

function simpleEscape(char: string): string {
  const found = SIMPLE.get(char);
  if (found === undefined) throw new RangeError(`unable to unescape string: \\${char}`);
  return found;
}
