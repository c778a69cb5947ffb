/** The errors of Go's JSON scanner. */
import { quote } from '../../base/index.ts';
import { MAX_DEPTH } from './scan-json.ts';

/**
 * Go's syntax error for a document; undefined if it is valid JSON. Slow: it runs only on documents that JSON.parse
 * refused or that nest too deeply.
 */
export function jsonSyntaxError(bytes: Uint8Array): string | undefined {
  return new Scanner(bytes).run();
}

type Expect = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing';

class SyntaxFault extends Error {}

const END_OF_INPUT = 'unexpected end of JSON input';

class Scanner {
  #at = 0;
  readonly #open: ('{' | '[')[] = [];

  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  run(): string | undefined {
    try {
      let expect: Expect = 'value';
      for (;;) {
        this.#skipSpace();
        if (this.#at >= this.#bytes.length) return expect === 'nothing' ? undefined : END_OF_INPUT;
        expect = this.#step(expect);
      }
    } catch (error) {
      if (error instanceof SyntaxFault) return error.message;
      throw error;
    }
  }

  #step(expect: Expect): Expect {
    const char = this.#peek();
    switch (expect) {
      case 'value-or-end':
        if (char === ']') return this.#close();
        return this.#value();
      case 'value':
        return this.#value();
      case 'key-or-end':
        if (char === '}') return this.#close();
        return this.#key();
      case 'key':
        return this.#key();
      case 'colon':
        if (char !== ':') this.#refuse('after object key');
        this.#at++;
        return 'value';
      case 'comma-or-end':
        return this.#afterElement(char);
      case 'nothing':
        return this.#refuse('after top-level value');
    }
  }

  #afterElement(char: string): Expect {
    const inObject = this.#open.at(-1) === '{';
    if (char === ',') {
      this.#at++;
      return inObject ? 'key' : 'value';
    }
    if (char === (inObject ? '}' : ']')) return this.#close();
    return this.#refuse(inObject ? 'after object key:value pair' : 'after array element');
  }

  #key(): Expect {
    if (this.#peek() !== '"') this.#refuse('looking for beginning of object key string');
    this.#string();
    return 'colon';
  }

  #value(): Expect {
    const char = this.#peek();
    if (char === '{' || char === '[') {
      if (this.#open.length >= MAX_DEPTH) this.#refuse('exceeded max depth');
      this.#open.push(char);
      this.#at++;
      return char === '{' ? 'key-or-end' : 'value-or-end';
    }
    if (char === '"') this.#string();
    else if (char === 't') this.#literal('true');
    else if (char === 'f') this.#literal('false');
    else if (char === 'n') this.#literal('null');
    else if (char === '-' || isDigit(char)) this.#number();
    else this.#refuse('looking for beginning of value');
    return this.#afterValue();
  }

  #close(): Expect {
    this.#at++;
    this.#open.pop();
    return this.#afterValue();
  }

  #afterValue(): Expect {
    return this.#open.length === 0 ? 'nothing' : 'comma-or-end';
  }

  #literal(word: string): void {
    for (let i = 1; i < word.length; i++) {
      this.#at++;
      if (this.#peek() !== word[i]) this.#refuse(`in literal ${word} (expecting '${word[i]}')`);
    }
    this.#at++;
  }

  #string(): void {
    for (;;) {
      this.#at++;
      const char = this.#peek();
      if (char === '"') break;
      if (char < ' ') this.#refuse('in string literal');
      if (char !== '\\') continue;
      this.#at++;
      const escape = this.#peek();
      if (escape === 'u') {
        for (let i = 0; i < 4; i++) {
          this.#at++;
          if (!/^[0-9a-fA-F]$/.test(this.#peek())) this.#refuse('in \\u hexadecimal character escape');
        }
      } else if (!'bfnrt\\/"'.includes(escape)) {
        this.#refuse('in string escape code');
      }
    }
    this.#at++;
  }

  #number(): void {
    if (this.#peek() === '-') {
      this.#at++;
      if (!isDigit(this.#peek())) this.#refuse('in numeric literal');
    }
    if (this.#peek() === '0') this.#at++;
    else this.#digits();
    if (this.#peekOrEnd() === '.') {
      this.#at++;
      if (!isDigit(this.#peek())) this.#refuse('after decimal point in numeric literal');
      this.#digits();
    }
    if (this.#peekOrEnd() === 'e' || this.#peekOrEnd() === 'E') {
      this.#at++;
      if (this.#peek() === '+' || this.#peek() === '-') this.#at++;
      if (!isDigit(this.#peek())) this.#refuse('in exponent of numeric literal');
      this.#digits();
    }
  }

  #digits(): void {
    while (isDigit(this.#peekOrEnd())) this.#at++;
  }

  #skipSpace(): void {
    while (' \t\r\n'.includes(this.#peekOrEnd() || '-')) this.#at++;
  }

  /** As in Go, an error shows a non-ASCII character as its first byte. */
  #peekOrEnd(): string {
    return this.#at < this.#bytes.length ? String.fromCharCode(this.#bytes[this.#at]!) : '';
  }

  #peek(): string {
    if (this.#at >= this.#bytes.length) throw new SyntaxFault(END_OF_INPUT);
    return this.#peekOrEnd();
  }

  #refuse(context: string): never {
    const char = this.#peek();
    const shown = char === "'" ? "\\'" : char === '"' ? '"' : quote(char).slice(1, -1);
    throw new SyntaxFault(`invalid character '${shown}' ${context}`);
  }
}

const isDigit = (char: string): boolean => char >= '0' && char <= '9';
