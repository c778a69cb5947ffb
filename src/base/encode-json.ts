/**
 * Encodes JSON. Objects in memory have the shape and key order of their JSON, so this is JSON.stringify, except for
 * what it cannot do: bigints in raw values, and very deep nesting.
 */
export function encodeJson(value: unknown): Buffer {
  return Buffer.from(stringifyJson(value));
}

export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return stringifyWithoutRecursion(value);
    throw error;
  }
}

/** The white space of an indented text grows with its lines times its depth. */
const MAX_INDENTED_LENGTH = 64 * 1024 * 1024;

/**
 * Indented by two spaces, as Go's encoder does it. Without indents where they would make the text longer than 64 MiB: a
 * megabyte of short lines far below the root would become a gigabyte.
 */
export function stringifyIndented(value: unknown): string {
  const text = stringifyJson(value);
  return indentJson(text) ?? text;
}

/** A string, a bracket, a separator, or what stands between them. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[[\]{},:]|[^"[\]{},:]+/g;

/** Indents JSON that has no white space between its tokens. Undefined where the result would be too long. */
function indentJson(text: string): string | undefined {
  const out: string[] = [];
  let length = text.length;
  let depth = 0;
  let opened = false;
  const startLine = (): void => {
    length += 2 * depth + 1;
    if (length <= MAX_INDENTED_LENGTH) out.push(`\n${'  '.repeat(depth)}`);
  };
  for (const [token] of text.matchAll(TOKEN)) {
    const closes = token === '}' || token === ']';
    if (closes) depth--;
    // An empty object or list stays on its line.
    if (opened !== closes) startLine();
    opened = token === '{' || token === '[';
    if (opened) depth++;
    out.push(token);
    if (token === ',') startLine();
    else if (token === ':') out.push(' ');
    if (length > MAX_INDENTED_LENGTH) return undefined;
  }
  return out.join('');
}

type Piece = { readonly text: string } | { readonly value: unknown };

function stringifyWithoutRecursion(root: unknown): string {
  const out: string[] = [];
  const work: Piece[] = [{ value: root }];
  for (let piece = work.pop(); piece; piece = work.pop()) {
    if ('text' in piece) {
      out.push(piece.text);
      continue;
    }
    const { value } = piece;
    if (typeof value === 'bigint') out.push(value.toString());
    else if (typeof value !== 'object' || value === null) out.push(JSON.stringify(value) ?? 'null');
    else if ('toJSON' in value && typeof value.toJSON === 'function') out.push(JSON.stringify(value));
    else for (const part of piecesOf(value).reverse()) work.push(part);
  }
  return out.join('');
}

function piecesOf(value: object): Piece[] {
  if (Array.isArray(value)) {
    return [
      { text: '[' },
      ...value.flatMap((element: unknown, i): Piece[] => [{ text: i > 0 ? ',' : '' }, { value: element }]),
      { text: ']' },
    ];
  }
  const entries = Object.entries(value).filter(([, element]) => element !== undefined);
  return [
    { text: '{' },
    ...entries.flatMap(([key, element]: [string, unknown], i): Piece[] => [
      { text: `${i > 0 ? ',' : ''}${JSON.stringify(key)}:` },
      { value: element },
    ]),
    { text: '}' },
  ];
}
