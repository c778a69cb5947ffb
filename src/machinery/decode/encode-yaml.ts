/**
 * Encodes YAML as upstream's library does: block style, keys in natural order, lists not indented below their key,
 * long lines folded at the first space after column 80. A string is plain where it cannot be misread, else quoted,
 * and literal if it has several lines.
 */
import { floatText, isRecord, stringifyJson } from '../../base/index.ts';
import { analyzeScalar, byNaturalOrder, hasSpecialCharacters, readsAsText, type ScalarAnalysis } from './yaml-style.ts';

const BEST_WIDTH = 80;
const INDENT = 2;
const MAX_SIMPLE_KEY_LENGTH = 128;
/** The white space of YAML grows with its lines times their depth. */
const MAX_LENGTH = 64 * 1024 * 1024;

export function encodeYaml(value: unknown): Buffer {
  try {
    const emitter = new YamlEmitter();
    emitter.document(value);
    return Buffer.from(emitter.text);
  } catch (error) {
    // Too deeply nested for the recursive emitter, or too long with its indents. JSON is valid YAML.
    if (error instanceof RangeError) return Buffer.from(`${stringifyJson(value)}\n`);
    throw error;
  }
}

interface TextPlace {
  readonly indent: number;
  /** A key on the same line as its colon; it is never folded. */
  readonly simpleKey: boolean;
}

class YamlEmitter {
  text = '';
  #column = 0;

  document(value: unknown): void {
    if (isCollection(value)) this.#collection(value, 0, { inline: true });
    else this.#scalar(value, { indent: INDENT, simpleKey: false });
    this.#newLine(0);
  }

  #put(text: string): void {
    this.text += text;
    this.#column += text.length;
  }

  /** Starts a new line unless the current line is empty. */
  #newLine(indent: number): void {
    if (this.text.length > MAX_LENGTH) throw new RangeError('the YAML is too long');
    if (this.#column > 0) this.text += '\n';
    this.#column = 0;
    this.#put(' '.repeat(indent));
  }

  #collection(value: object, indent: number, at: { inline: boolean }): void {
    if (Array.isArray(value)) this.#list(value, indent, at);
    else this.#mapping(value as Record<string, unknown>, indent, at);
  }

  #mapping(value: Record<string, unknown>, indent: number, { inline }: { inline: boolean }): void {
    let first = inline;
    for (const key of keysOf(value)) {
      if (!first) this.#newLine(indent);
      first = false;
      const simple = Buffer.byteLength(key) <= MAX_SIMPLE_KEY_LENGTH && !analyzeScalar(key).multiline;
      if (simple) this.#string(key, { indent: indent + INDENT, simpleKey: true });
      else {
        this.#put('? ');
        this.#string(key, { indent: indent + INDENT, simpleKey: false });
        this.#newLine(indent);
      }
      this.#put(':');
      this.#mappingValue(value[key], indent, simple);
    }
  }

  #mappingValue(value: unknown, indent: number, simple: boolean): void {
    if (!isCollection(value)) {
      this.#put(' ');
      this.#scalar(value, { indent: indent + INDENT, simpleKey: false });
    } else if (!simple) {
      this.#put(' ');
      this.#collection(value, indent + INDENT, { inline: true });
    } else {
      this.#collection(value, Array.isArray(value) ? indent : indent + INDENT, { inline: false });
    }
  }

  #list(items: readonly unknown[], indent: number, { inline }: { inline: boolean }): void {
    let first = inline;
    for (const item of items) {
      if (!first) this.#newLine(indent);
      first = false;
      this.#put('- ');
      if (isCollection(item)) this.#collection(item, indent + INDENT, { inline: true });
      else this.#scalar(item, { indent: indent + INDENT, simpleKey: false });
    }
  }

  #scalar(value: unknown, place: TextPlace): void {
    if (typeof value === 'string') this.#string(value, place);
    else if (typeof value === 'number') this.#put(numberText(value));
    else if (typeof value === 'bigint') this.#put(value.toString());
    else if (typeof value === 'boolean') this.#put(String(value));
    else if (Array.isArray(value)) this.#put('[]');
    else this.#put(isRecord(value) ? '{}' : 'null');
  }

  #string(text: string, place: TextPlace): void {
    const analysis = analyzeScalar(text);
    switch (styleOf(text, analysis, place)) {
      case 'plain':
        return this.#folded(text, place, { inQuotes: false });
      case 'single':
        this.#put("'");
        this.#folded(text, place, { inQuotes: true });
        return this.#put("'");
      case 'literal':
        return this.#literal(text, place.indent);
      case 'double':
        return this.#double(text, place);
    }
  }

  /** Breaks the line at a single space beyond the width. */
  #folded(text: string, { indent, simpleKey }: TextPlace, { inQuotes }: { inQuotes: boolean }): void {
    let afterSpace = false;
    for (let i = 0; i < text.length;) {
      const end = wordEnd(text, i);
      if (end > i) {
        const word = text.slice(i, end);
        this.#putText(inQuotes ? word.replaceAll("'", "''") : word);
        afterSpace = false;
        i = end;
        continue;
      }
      const mayFold = !inQuotes || (i > 0 && i < text.length - 1);
      if (!simpleKey && !afterSpace && this.#column > BEST_WIDTH && mayFold && text[i + 1] !== ' ')
        this.#newLine(indent);
      else this.#put(' ');
      afterSpace = true;
      i++;
    }
  }

  #double(text: string, { indent, simpleKey }: TextPlace): void {
    this.#put('"');
    let afterSpace = false;
    const characters = [...text];
    characters.forEach((character, i) => {
      const folds =
        character === ' ' &&
        !simpleKey &&
        !afterSpace &&
        this.#column > BEST_WIDTH &&
        i > 0 &&
        i < characters.length - 1;
      if (folds) {
        this.#newLine(indent);
        if (characters[i + 1] === ' ') this.#put('\\');
      } else this.#putText(escaped(character));
      afterSpace = character === ' ';
    });
    this.#put('"');
  }

  #literal(text: string, indent: number): void {
    const indentHint = /^[ \n]/.test(text) ? String(INDENT) : '';
    const chompHint = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
    this.#put(`|${indentHint}${chompHint}`);
    const lines = text.split('\n');
    const ended = lines.at(-1) === '';
    if (ended) lines.pop();
    for (const line of lines) {
      this.text += line === '' ? '\n' : `\n${' '.repeat(indent)}${line}`;
    }
    if (ended) this.text += '\n';
    this.#column = ended ? 0 : 1;
  }

  /** The width is counted in characters. */
  #putText(text: string): void {
    this.text += text;
    this.#column += characterCount(text);
  }
}

function styleOf(
  text: string,
  analysis: ScalarAnalysis,
  { simpleKey }: TextPlace,
): 'plain' | 'single' | 'double' | 'literal' {
  if (text.includes('\n')) return analysis.literalAllowed && !simpleKey ? 'literal' : 'double';
  if (!readsAsText(text) || (simpleKey && analysis.multiline)) return 'double';
  if (analysis.plainAllowed) return 'plain';
  return analysis.singleAllowed ? 'single' : 'double';
}

const SHORT_ESCAPES: Readonly<Record<number, string>> = {
  0x00: '0',
  0x07: 'a',
  0x08: 'b',
  0x09: 't',
  0x0a: 'n',
  0x0b: 'v',
  0x0c: 'f',
  0x0d: 'r',
  0x1b: 'e',
  0x85: 'N',
  0x2028: 'L',
  0x2029: 'P',
};

function escaped(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  if (character !== '\n' && !hasSpecialCharacters(character)) return character;
  const code = character.codePointAt(0)!;
  const short = SHORT_ESCAPES[code];
  if (short !== undefined) return `\\${short}`;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

function wordEnd(text: string, from: number): number {
  const space = text.indexOf(' ', from);
  return space < 0 ? text.length : space;
}

/** Surrogate pairs are one character each. */
function characterCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) count--;
  return count;
}

const MAX_INTEGER = 2 ** 64;

const numberText = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < MAX_INTEGER ? BigInt(value).toString() : floatText(value);

/** Non-empty lists and maps; empty ones are written like scalars. */
const isCollection = (value: unknown): value is object =>
  Array.isArray(value)
    ? value.length > 0
    : isRecord(value) && Object.values(value).some((field) => field !== undefined);

const keysOf = (value: Record<string, unknown>): string[] =>
  Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort(byNaturalOrder);
