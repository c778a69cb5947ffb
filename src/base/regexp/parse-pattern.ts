/**
 * Patterns as they come out of the translation of Go's syntax: groups that do not capture, classes, repetitions with
 * or without `?`, and a few assertions. Everything else has been refused or rewritten before.
 */
export type Pattern =
  | { readonly kind: 'empty' }
  | { readonly kind: 'character'; readonly matches: (code: number) => boolean }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'alternatives'; readonly options: readonly Pattern[] }
  | {
      readonly kind: 'repeat';
      readonly part: Pattern;
      readonly min: number;
      readonly max: number;
      readonly lazy: boolean;
    };

export type Assertion = 'text-start' | 'text-end' | 'line-start' | 'line-end' | 'word' | 'no-word';

const ASSERTIONS: readonly [string, Assertion][] = [
  ['(?<![\\s\\S])', 'text-start'],
  ['(?<![^\\n])', 'line-start'],
  ['(?![\\s\\S])', 'text-end'],
  ['(?![^\\n])', 'line-end'],
  ['\\b', 'word'],
  ['\\B', 'no-word'],
];

const CLASS = /\[(?:[^\]\\]|\\[^])*\]/uy;
const PROPERTY = /\\[pP]\{[^}]*\}/uy;
const REPEAT = /(?:[*+?]|\{(\d+)(,(\d*))?\})(\??)/y;
const MAX_DEPTH = 1000;

export function parsePattern(source: string): Pattern {
  return new PatternParser(source).alternatives(0);
}

class PatternParser {
  #at = 0;

  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  alternatives(depth: number): Pattern {
    if (depth > MAX_DEPTH) throw new RangeError('expression nests too deeply');
    const options: Pattern[] = [];
    let parts: Pattern[] = [];
    const finish = (): void => void options.push(parts.length === 1 ? parts[0]! : { kind: 'sequence', parts });
    while (this.#at < this.#source.length && this.#source[this.#at] !== ')') {
      if (this.#source[this.#at] === '|') {
        this.#at++;
        finish();
        parts = [];
      } else parts.push(this.#repeated(this.#atom(depth)));
    }
    finish();
    return options.length === 1 ? options[0]! : { kind: 'alternatives', options };
  }

  #repeated(part: Pattern): Pattern {
    REPEAT.lastIndex = this.#at;
    const match = REPEAT.exec(this.#source);
    if (!match) return part;
    this.#at += match[0].length;
    const symbol = match[0][0]!;
    const lazy = match[4] === '?';
    if (symbol === '*') return { kind: 'repeat', part, min: 0, max: Infinity, lazy };
    if (symbol === '+') return { kind: 'repeat', part, min: 1, max: Infinity, lazy };
    if (symbol === '?') return { kind: 'repeat', part, min: 0, max: 1, lazy };
    const min = Number(match[1]);
    const max = match[2] === undefined ? min : match[3] === '' ? Infinity : Number(match[3]);
    return { kind: 'repeat', part, min, max, lazy };
  }

  #atom(depth: number): Pattern {
    for (const [text, assertion] of ASSERTIONS) {
      if (this.#source.startsWith(text, this.#at)) {
        this.#at += text.length;
        return { kind: 'assertion', assertion };
      }
    }
    if (this.#source.startsWith('(?:', this.#at)) {
      this.#at += 3;
      const inner = this.alternatives(depth + 1);
      this.#at++;
      return inner;
    }
    const text = this.#take(CLASS) ?? this.#take(PROPERTY);
    if (text !== undefined) return { kind: 'character', matches: classTest(text) };
    if (this.#source[this.#at] === '\\') this.#at++;
    const code = this.#source.codePointAt(this.#at)!;
    this.#at += code > 0xffff ? 2 : 1;
    return { kind: 'character', matches: (given) => given === code };
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

/** A class is asked of one character at a time; answers for the common ones are kept. */
function classTest(text: string): (code: number) => boolean {
  const pattern = new RegExp(`^${text}$`, 'u');
  const ascii = new Int8Array(128);
  return (code) => {
    if (code >= 128) return pattern.test(String.fromCodePoint(code));
    if (ascii[code] === 0) ascii[code] = pattern.test(String.fromCharCode(code)) ? 1 : -1;
    return ascii[code] === 1;
  };
}
