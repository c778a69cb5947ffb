/** Splits a Corefile into its lines of tokens, and the blocks in braces that belong to them. */

export interface CorefileLine {
  readonly line: number;
  readonly tokens: readonly string[];
  /** The lines in braces after it. */
  readonly block?: readonly CorefileLine[];
}

export class CorefileError extends Error {
  readonly code = 'invalid-corefile';

  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
    this.name = 'CorefileError';
  }
}

/** A server block, a plugin, its options: nothing has more levels. */
const MAX_DEPTH = 3;

/** Throws a CorefileError. */
export function lexCorefile(text: string): readonly CorefileLine[] {
  const roots: CorefileLine[] = [];
  const open: { readonly line: number; readonly lines: CorefileLine[] }[] = [{ line: 0, lines: roots }];
  for (const [i, source] of text.split('\n').entries()) {
    const line = i + 1;
    const tokens = tokensOf(source, line);
    if (tokens.length === 0) continue;
    if (tokens[0] === '}') {
      if (open.length === 1 || tokens.length > 1) throw new CorefileError(line, 'unexpected "}"');
      open.pop();
      continue;
    }
    const { lines } = open.at(-1)!;
    if (tokens.at(-1) !== '{') {
      lines.push({ line, tokens });
      continue;
    }
    if (tokens.length === 1 || open.length === MAX_DEPTH) throw new CorefileError(line, 'unexpected "{"');
    const block: CorefileLine[] = [];
    lines.push({ line, tokens: tokens.slice(0, -1), block });
    open.push({ line, lines: block });
  }
  if (open.length > 1) throw new CorefileError(open.at(-1)!.line, 'the block is not closed');
  return roots;
}

function tokensOf(source: string, line: number): string[] {
  const tokens: string[] = [];
  for (const [, comment, quoted, plain] of source.matchAll(/(#.*)|"([^"]*)"|([^\s"]+)/g)) {
    if (comment !== undefined) break;
    tokens.push(quoted ?? plain!);
  }
  const odd = tokens.find((token) => /\{\$|\{%/.test(token));
  if (odd !== undefined) throw new CorefileError(line, `${odd}: environment variables are not supported`);
  return tokens;
}
