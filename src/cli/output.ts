/** Output of commands: text or JSON; colours and progress only on a terminal. */
const isTerminal = (): boolean => process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined;

const paint = (code: number, text: string): string => (isTerminal() ? `\u001b[${code}m${text}\u001b[0m` : text);
export const bold = (text: string): string => paint(1, text);
export const green = (text: string): string => paint(32, text);
export const red = (text: string): string => paint(31, text);
export const dim = (text: string): string => paint(2, text);

/** Prints the value as JSON, or as `text` formats it. */
export function print<T>(format: string, value: T, text: (value: T) => string): void {
  console.log(format === 'json' ? JSON.stringify(value, null, 2) : text(value));
}

/** One line of output, for programs that print several. */
export function printLine(format: string, value: object, text: string): void {
  console.log(format === 'json' ? JSON.stringify(value) : text);
}

/** A line for people, beside the result. */
export function printNotice(format: string, text: string): void {
  if (format === 'json') console.error(text);
  else console.log(text);
}

/** Columns under headings. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>((known, row) => row.map((cell, i) => Math.max(known[i] ?? 0, cell.length)), []);
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}

/** A progress line that is overwritten; nothing without a terminal. */
export class Progress {
  #shown = false;

  show(text: string): void {
    if (!isTerminal()) return;
    this.#shown = true;
    // A line that wraps could not be overwritten.
    const shown = `… ${text}`.slice(0, Math.max(10, (process.stdout.columns || 80) - 1));
    process.stdout.write(`\r\u001b[2K${dim(shown)}`);
  }

  clear(): void {
    if (this.#shown) process.stdout.write('\r\u001b[2K');
    this.#shown = false;
  }
}
