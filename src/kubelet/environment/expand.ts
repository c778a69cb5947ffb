/** Expands `$(NAME)` in commands, arguments and values. `$$` is a dollar sign; unknown names stay unexpanded. */
export function expand(text: string, lookup: (name: string) => string | undefined): string {
  let out = '';
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== '$' || i + 1 === text.length) {
      out += text[i];
      continue;
    }
    const next = text[i + 1];
    if (next === '$') {
      out += '$';
      i++;
    } else if (next === '(') {
      const close = text.indexOf(')', i + 2);
      if (close < 0) {
        out += '$(';
        i++;
        continue;
      }
      const name = text.slice(i + 2, close);
      out += lookup(name) ?? `$(${name})`;
      i = close;
    } else {
      out += `$${next}`;
      i++;
    }
  }
  return out;
}
