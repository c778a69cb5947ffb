/** Words of an instruction, with variables in them: `$NAME`, `${NAME}`, `${NAME:-default}`, `${NAME:+other}`. */
export type Variables = ReadonlyMap<string, string>;

/** Splits at spaces outside of quotes, expands variables outside of single quotes, and removes the quotes. */
export function splitWords(text: string, variables: Variables): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '\\' && quote !== "'" && at + 1 < text.length) word = `${word ?? ''}${text[++at]!}`;
    else if (quote === '' && (char === '"' || char === "'")) [quote, word] = [char, word ?? ''];
    else if (char === quote) quote = '';
    else if (char === '$' && quote !== "'") {
      const [value, length] = variableAt(text.slice(at), variables);
      word = `${word ?? ''}${value}`;
      at += length - 1;
    } else if (quote === '' && /\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = `${word ?? ''}${char}`;
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** One text, with its variables expanded and its quotes removed. */
export const expandText = (text: string, variables: Variables): string =>
  splitWords(
    text.replaceAll(/\s/g, (space) => `\\${space}`),
    variables,
  ).join(' ');

function variableAt(text: string, variables: Variables): [value: string, length: number] {
  const plain = /^\$([A-Za-z_]\w*)/.exec(text);
  if (plain) return [variables.get(plain[1]!) ?? '', plain[0].length];
  const braced = /^\$\{([A-Za-z_]\w*)(?:(:[-+])([^{}]*))?\}/.exec(text);
  if (!braced) return ['$', 1];
  const [whole, name = '', operator, other = ''] = braced;
  const value = variables.get(name) ?? '';
  if (operator === ':-') return [value === '' ? other : value, whole.length];
  if (operator === ':+') return [value === '' ? '' : other, whole.length];
  return [value, whole.length];
}

/** `A=b C="d e"`, or the older `A b c`. */
export function assignments(text: string, variables: Variables): [name: string, value: string][] {
  const [first = ''] = text.split(/\s/, 1);
  if (!first.includes('=')) return [[first, expandText(text.slice(first.length).trim(), variables)]];
  return splitWords(text, variables).map((word) => {
    const at = word.indexOf('=');
    return at === -1 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)];
  });
}
