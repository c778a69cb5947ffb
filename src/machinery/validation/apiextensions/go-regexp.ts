/**
 * Regular expressions as Go's regexp package reads them (RE2's syntax). A pattern is checked with Go's messages and
 * rewritten into a JavaScript one that matches the same texts, which is then matched in linear time. The rewriting
 * resolves flags such as `(?i)` where they stand, so the result needs no flags but `u`.
 */
import { LinearRegexp, RegexpTooLargeError } from '../../../base/index.ts';

export class GoRegexpError extends Error {
  constructor(code: string, expression: string) {
    super(`error parsing regexp: ${code}: \`${expression}\``);
    this.name = 'GoRegexpError';
  }
}

const cache = new Map<string, LinearRegexp>();
const CACHE_SIZE = 1000;

/** Throws a GoRegexpError for a pattern that Go refuses. */
export function compileGoRegexp(pattern: string): LinearRegexp {
  const known = cache.get(pattern);
  if (known) return known;
  const translated = new Translator(pattern).translate();
  // JavaScript has the last word on what a class may hold.
  new RegExp(translated, 'u');
  const compiled = linear(translated, pattern);
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(pattern, compiled);
  return compiled;
}

function linear(translated: string, pattern: string): LinearRegexp {
  try {
    return new LinearRegexp(translated);
  } catch (error) {
    if (error instanceof RegexpTooLargeError) throw new GoRegexpError('expression too large', pattern);
    throw error;
  }
}

interface Flags {
  fold: boolean;
  multiline: boolean;
  dotAll: boolean;
  ungreedy: boolean;
}

const PERL_CLASSES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ d: '0-9', s: '\\t\\n\\f\\r ', w: '0-9A-Za-z_' }),
);
const POSIX_CLASSES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    alnum: '0-9A-Za-z',
    alpha: 'A-Za-z',
    ascii: '\\x00-\\x7f',
    blank: '\\t ',
    cntrl: '\\x00-\\x1f\\x7f',
    digit: '0-9',
    graph: '!-~',
    lower: 'a-z',
    print: ' -~',
    punct: '!-\\/:-@\\[-`\\{-~',
    space: '\\t\\n\\v\\f\\r ',
    upper: 'A-Z',
    word: '0-9A-Za-z_',
    xdigit: '0-9A-Fa-f',
  }),
);
const ESCAPED_CONTROL: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ a: '\\x07', f: '\\f', t: '\\t', n: '\\n', r: '\\r', v: '\\v' }),
);
const MAX_REPEAT = 1000;
const MAX_NESTING = 1000;

class Translator {
  #at = 0;
  #out = '';
  #flags: Flags = { fold: false, multiline: false, dotAll: false, ungreedy: false };
  /** The flags to return to at each open group's end. */
  readonly #groups: Flags[] = [];
  /** Whether the last thing written can be repeated, and the text of the repetition that it has already. */
  #repeatable = false;
  #lastRepeat = '';

  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  translate(): string {
    while (this.#at < this.#source.length) this.#next();
    if (this.#groups.length > 0) throw new GoRegexpError('missing closing )', this.#source);
    return this.#out;
  }

  #next(): void {
    const char = this.#source[this.#at]!;
    switch (char) {
      case '(':
        return this.#open();
      case ')':
        return this.#close();
      case '|':
        this.#at++;
        this.#out += '|';
        this.#repeatable = false;
        this.#lastRepeat = '';
        return;
      case '[':
        return this.#atom(this.#characterClass());
      case '.':
        this.#at++;
        return this.#atom(this.#flags.dotAll ? '[\\s\\S]' : '[^\\n]');
      case '^':
        this.#at++;
        return this.#atom(this.#flags.multiline ? '(?<![^\\n])' : '(?<![\\s\\S])');
      case '$':
        this.#at++;
        return this.#atom(this.#flags.multiline ? '(?![^\\n])' : '(?![\\s\\S])');
      case '*':
      case '+':
      case '?':
        this.#at++;
        return this.#repeat(char);
      case '{':
        return this.#braces();
      case '\\':
        return this.#escape();
      default: {
        const symbol = String.fromCodePoint(this.#source.codePointAt(this.#at)!);
        this.#at += symbol.length;
        return this.#atom(this.#literal(symbol));
      }
    }
  }

  #atom(text: string): void {
    // Assertions stand in a group so that they can be repeated, which Go allows.
    this.#out += text.startsWith('(?<!') || text.startsWith('(?!') ? `(?:${text})` : text;
    this.#repeatable = true;
    this.#lastRepeat = '';
  }

  #literal(symbol: string): string {
    if (this.#flags.fold) {
      const cases = [...new Set([symbol, symbol.toLowerCase(), symbol.toUpperCase()])].filter(
        (s) => [...s].length === 1,
      );
      if (cases.length > 1) return `[${cases.map(escapeInClass).join('')}]`;
    }
    return escapeLiteral(symbol);
  }

  #open(): void {
    if (this.#groups.length >= MAX_NESTING) throw new GoRegexpError('expression nests too deeply', this.#source);
    if (this.#source[this.#at + 1] !== '?') {
      this.#at++;
      this.#groups.push({ ...this.#flags });
      this.#out += '(?:';
      this.#repeatable = false;
      this.#lastRepeat = '';
      return;
    }
    const rest = this.#source.slice(this.#at);
    const named = /^\(\?P?<([^>]*)(>?)/.exec(rest);
    if (named && !rest.startsWith('(?<=') && !rest.startsWith('(?<!')) {
      if (named[2] === '') throw new GoRegexpError('invalid named capture', this.#source);
      if (!/^[A-Za-z0-9_]+$/.test(named[1]!)) throw new GoRegexpError('invalid named capture', named[0]);
      this.#at += named[0].length;
      this.#groups.push({ ...this.#flags });
      this.#out += '(?:';
      this.#repeatable = false;
      return;
    }
    this.#flagGroup(rest);
  }

  #flagGroup(rest: string): void {
    const next: Flags = { ...this.#flags };
    let on = true;
    let seen = false;
    for (let i = 2; i < rest.length; i++) {
      const char = rest[i]!;
      if (char === 'i') next.fold = on;
      else if (char === 'm') next.multiline = on;
      else if (char === 's') next.dotAll = on;
      else if (char === 'U') next.ungreedy = on;
      else if (char === '-' && on) {
        on = false;
        seen = false;
        continue;
      } else if ((char === ':' || char === ')') && (on || seen)) {
        this.#at += i + 1;
        if (char === ':') {
          this.#groups.push({ ...this.#flags });
          this.#out += '(?:';
          this.#lastRepeat = '';
        }
        this.#repeatable = false;
        this.#flags = next;
        return;
      } else {
        throw new GoRegexpError('invalid or unsupported Perl syntax', rest.slice(0, i + 1));
      }
      seen = true;
    }
    throw new GoRegexpError('missing closing )', this.#source);
  }

  #close(): void {
    const before = this.#groups.pop();
    if (!before) throw new GoRegexpError('unexpected )', this.#source);
    this.#flags = before;
    this.#at++;
    this.#out += ')';
    this.#repeatable = true;
    this.#lastRepeat = '';
  }

  #repeat(operator: string): void {
    let text = operator;
    let lazy = this.#flags.ungreedy;
    if (this.#source[this.#at] === '?') {
      this.#at++;
      text += '?';
      lazy = !lazy;
    }
    if (this.#lastRepeat !== '') throw new GoRegexpError('invalid nested repetition operator', this.#lastRepeat + text);
    if (!this.#repeatable) throw new GoRegexpError('missing argument to repetition operator', text);
    this.#out += lazy ? `${operator}?` : operator;
    this.#lastRepeat = text;
  }

  #braces(): void {
    const match = /^\{(\d{1,10})(,(\d{0,10}))?\}/.exec(this.#source.slice(this.#at));
    if (!match) {
      this.#at++;
      return this.#atom('\\{');
    }
    this.#at += match[0].length;
    const low = Number(match[1]);
    const high = match[3] === undefined || match[3] === '' ? low : Number(match[3]);
    if (low > MAX_REPEAT || high > MAX_REPEAT || high < low) throw new GoRegexpError('invalid repeat count', match[0]);
    this.#repeat(match[0]);
  }

  #escape(): void {
    const char = this.#source[this.#at + 1];
    if (char === undefined) throw new GoRegexpError('trailing backslash at end of expression', '');
    if (char === 'A' || char === 'z') {
      this.#at += 2;
      return this.#atom(char === 'A' ? '(?<![\\s\\S])' : '(?![\\s\\S])');
    }
    if (char === 'b' || char === 'B') {
      this.#at += 2;
      this.#out += `(?:\\${char})`;
      this.#repeatable = true;
      this.#lastRepeat = '';
      return;
    }
    if (char === 'Q') {
      const end = this.#source.indexOf('\\E', this.#at + 2);
      const quoted = this.#source.slice(this.#at + 2, end < 0 ? undefined : end);
      this.#at = end < 0 ? this.#source.length : end + 2;
      for (const symbol of quoted) this.#atom(this.#literal(symbol));
      return;
    }
    const perl = PERL_CLASSES.get(char.toLowerCase());
    if (perl !== undefined) {
      this.#at += 2;
      return this.#atom(char === char.toLowerCase() ? `[${perl}]` : `[^${perl}]`);
    }
    if (char === 'p' || char === 'P') return this.#atom(this.#unicodeClass());
    this.#atom(this.#literal(this.#escapedCharacter()));
  }

  /** Reads `\p{…}` or `\pL` into JavaScript's property escape. */
  #unicodeClass(): string {
    const match = /^\\([pP])(?:\{(\^?)([^}]*)\}|(\^?)(.))/su.exec(this.#source.slice(this.#at));
    if (!match) throw new GoRegexpError('invalid character class range', this.#source.slice(this.#at));
    const negated = (match[1] === 'P') !== (match[2] === '^' || match[4] === '^');
    const name = match[3] ?? match[5]!;
    for (const property of [name, `Script=${name}`]) {
      const text = `\\${negated ? 'P' : 'p'}{${property}}`;
      try {
        new RegExp(text, 'u');
      } catch {
        continue;
      }
      this.#at += match[0].length;
      return text;
    }
    throw new GoRegexpError('invalid character class range', match[0]);
  }

  /** Reads an escape that stands for one character. */
  #escapedCharacter(): string {
    const rest = this.#source.slice(this.#at);
    const simple = /^\\(?:x\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})|([0-7]{3})|(0[0-7]{0,2}))/.exec(rest);
    if (simple) {
      const code = parseInt(simple[1] ?? simple[2] ?? simple[3] ?? simple[4]!, simple[1] || simple[2] ? 16 : 8);
      if (code > 0x10ffff) throw new GoRegexpError('invalid escape sequence', simple[0]);
      this.#at += simple[0].length;
      return String.fromCodePoint(code);
    }
    const char = rest[1];
    if (char === undefined) throw new GoRegexpError('trailing backslash at end of expression', '');
    const control = ESCAPED_CONTROL.get(char);
    if (control !== undefined) {
      this.#at += 2;
      return JSON.parse(`"${control.replace('\\x', '\\u00').replace('\\v', '\\u000b')}"`) as string;
    }
    if (/[A-Za-z0-9]/.test(char) || char.charCodeAt(0) > 0x7f)
      throw new GoRegexpError('invalid escape sequence', `\\${char}`);
    this.#at += 2;
    return char;
  }

  #characterClass(): string {
    const start = this.#at;
    this.#at++;
    let negated = false;
    if (this.#source[this.#at] === '^') {
      negated = true;
      this.#at++;
    }
    let body = '';
    for (let first = true; first || this.#source[this.#at] !== ']'; first = false) {
      if (this.#at >= this.#source.length) throw new GoRegexpError('missing closing ]', this.#source.slice(start));
      body += this.#classItem(start);
    }
    this.#at++;
    if (negated && !this.#flags.dotAll && body === '') return '[^\\n]';
    return `[${negated ? '^' : ''}${body}]`;
  }

  #classItem(start: number): string {
    const rest = this.#source.slice(this.#at);
    const posix = /^\[:(\^?)([a-z]+):\]/.exec(rest);
    if (posix) {
      const chars = POSIX_CLASSES.get(posix[2]!);
      if (chars === undefined) throw new GoRegexpError('invalid character class range', posix[0]);
      this.#at += posix[0].length;
      return posix[1] === '^' ? complementInClass(chars) : chars;
    }
    const perl = /^\\([dswDSW])/.exec(rest);
    if (perl) {
      this.#at += 2;
      const chars = PERL_CLASSES.get(perl[1]!.toLowerCase())!;
      return perl[1]! === perl[1]!.toLowerCase() ? chars : complementInClass(chars);
    }
    if (/^\\[pP]/.test(rest)) return this.#unicodeClass();
    const low = this.#classCharacter(start);
    if (this.#source[this.#at] === '-' && this.#source[this.#at + 1] !== ']' && this.#at + 1 < this.#source.length) {
      const rangeStart = this.#at - low.length;
      this.#at++;
      const high = this.#classCharacter(start);
      if (high.codePointAt(0)! < low.codePointAt(0)!) {
        throw new GoRegexpError('invalid character class range', this.#source.slice(rangeStart, this.#at));
      }
      return this.#foldRange(low, high);
    }
    return this.#foldRange(low, low);
  }

  #foldRange(low: string, high: string): string {
    const range = low === high ? escapeInClass(low) : `${escapeInClass(low)}-${escapeInClass(high)}`;
    if (!this.#flags.fold) return range;
    const swapped = (c: string): string => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase());
    if (low === high) return [...swapped(low)].length === 1 ? range + escapeInClass(swapped(low)) : range;
    const upper = overlap(low, high, 'A', 'Z', 32);
    const lower = overlap(low, high, 'a', 'z', -32);
    return range + upper + lower;
  }

  #classCharacter(start: number): string {
    if (this.#at >= this.#source.length) throw new GoRegexpError('missing closing ]', this.#source.slice(start));
    if (this.#source[this.#at] === '\\') return this.#escapedCharacter();
    const symbol = String.fromCodePoint(this.#source.codePointAt(this.#at)!);
    this.#at += symbol.length;
    return symbol;
  }
}

/** The part of a range that lies between `from` and `to`, in the other case. */
function overlap(low: string, high: string, from: string, to: string, shift: number): string {
  const first = Math.max(low.codePointAt(0)!, from.codePointAt(0)!);
  const last = Math.min(high.codePointAt(0)!, to.codePointAt(0)!);
  return first > last ? '' : `${String.fromCodePoint(first + shift)}-${String.fromCodePoint(last + shift)}`;
}

/** All but the given characters, as it can stand inside a class: the ranges between them. */
function complementInClass(chars: string): string {
  const member = new RegExp(`[${chars}]`, 'u');
  let out = '';
  let from = -1;
  for (let code = 0; code <= 0x80; code++) {
    const inside = code < 0x80 && member.test(String.fromCodePoint(code));
    if (!inside && from < 0) from = code;
    if (inside && from >= 0) {
      out += `\\u{${from.toString(16)}}-\\u{${(code - 1).toString(16)}}`;
      from = -1;
    }
  }
  return `${out}\\u{${from.toString(16)}}-\\u{10ffff}`;
}

const escapeLiteral = (symbol: string): string => (/[\^$\\.*+?()[\]{}|/]/.test(symbol) ? `\\${symbol}` : symbol);
const escapeInClass = (symbol: string): string => (/[\^\\\]\-[]/.test(symbol) ? `\\${symbol}` : symbol);
