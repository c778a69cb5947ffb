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
