/** Refuses YAML that nests too deeply for the recursive parser. */
import { Lexer, Parser } from 'yaml';

/** The YAML parser recurses; deeper documents would exhaust the stack. */
export const MAX_YAML_DEPTH = 300;

export function isTooDeep(text: string): boolean {
  return mayBeTooDeep(text) && measuredDepth(text) > MAX_YAML_DEPTH;
}

/** A quick upper bound: open brackets, and the indentation of a line. */
function mayBeTooDeep(text: string): boolean {
  let open = 0;
  let lead = 0;
  let leading = true;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '\n') {
      lead = 0;
      leading = true;
    } else if (char === '[' || char === '{') {
      if (++open > MAX_YAML_DEPTH) return true;
      leading = false;
    } else if (char === ']' || char === '}') {
      if (open > 0) open--;
    } else if (leading) {
      if (char !== ' ' && char !== '\t' && char !== '-' && char !== '?' && char !== ':') leading = false;
      else if (++lead > MAX_YAML_DEPTH) return true;
    }
  }
  return false;
}

/** The size of the parser's stack, one entry per level. Stops beyond the limit. */
function measuredDepth(text: string): number {
  const parser = new Parser();
  let depth = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme)) void _;
    depth = Math.max(depth, parser.stack.length);
    if (depth > MAX_YAML_DEPTH) break;
  }
  return depth;
}
