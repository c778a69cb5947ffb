/** Errors in the source of an expression, shown with the line and column. */
export interface SourceProblem {
  readonly at: number;
  readonly message: string;
}

export class CelSyntaxError extends Error {
  constructor(readonly problems: readonly SourceProblem[]) {
    super(problems.map(({ message }) => message).join('; '));
    this.name = 'CelSyntaxError';
  }
}

/** All problems in source order, in cel-go's format. */
export function problemsText(source: string, problems: readonly SourceProblem[]): string {
  return [...problems]
    .sort((a, b) => a.at - b.at)
    .map((problem) => problemText(source, problem))
    .join('\n');
}

function problemText(source: string, { at, message }: SourceProblem): string {
  // An empty source has no line to show.
  if (source === '') return `ERROR: <input>:1:0: ${message}`;
  const before = source.slice(0, at);
  const start = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  const end = source.indexOf('\n', start);
  const text = source.slice(start, end < 0 ? undefined : end).replaceAll('\t', ' ');
  const ahead = [...source.slice(start, at)];
  const dots = ahead.map((char) => (isWide(char) ? '．' : '.')).join('');
  const pointed = source.codePointAt(at);
  const mark = pointed !== undefined && isWide(String.fromCodePoint(pointed)) ? '＾' : '^';
  return `ERROR: <input>:${line}:${ahead.length + 1}: ${message}\n | ${text}\n | ${dots}${mark}`;
}

const isWide = (char: string): boolean => Buffer.byteLength(char) > 1;
