/** The part of TOML that hosts.toml files use: tables with quoted names, strings, booleans, integers and arrays. */

export type TomlValue = string | boolean | number | readonly TomlValue[] | TomlTable;
export interface TomlTable {
  [key: string]: TomlValue;
}

export class TomlError extends Error {
  override readonly name = 'TomlError';
  readonly code = 'invalid-toml';
}

export function parseToml(text: string): TomlTable {
  return new TomlParser(text).parse();
}

class TomlParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): TomlTable {
    const root = newTable();
    let table = root;
    for (;;) {
      this.#skip(/(?:\s|#[^\n]*)*/y);
      if (this.#at >= this.#text.length) return root;
      if (this.#take(/\[\[/y) !== undefined) this.#fail('arrays of tables are not supported');
      if (this.#take(/\[[ \t]*/y) !== undefined) {
        table = this.#tableAt(root, this.#key());
        if (this.#take(/[ \t]*\]/y) === undefined) this.#fail('expected ]');
      } else {
        const path = this.#key();
        const name = path.pop() ?? '';
        if (this.#take(/[ \t]*=[ \t]*/y) === undefined) this.#fail('expected =');
        this.#tableAt(table, path)[name] = this.#value();
      }
      if (this.#take(/[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y) === undefined) this.#fail('expected the end of the line');
    }
  }

  #key(): string[] {
    const parts: string[] = [];
    do {
      const bare = this.#take(/[A-Za-z0-9_-]+/y);
      parts.push(bare ?? this.#string() ?? this.#fail('expected a name'));
    } while (this.#take(/[ \t]*\.[ \t]*/y) !== undefined);
    return parts;
  }

  #value(): TomlValue {
    const text = this.#string();
    if (text !== undefined) return text;
    const word = this.#take(/true|false/y);
    if (word !== undefined) return word === 'true';
    const number = this.#take(/[+-]?[0-9][0-9_]*/y);
    if (number !== undefined) return Number(number.replaceAll('_', ''));
    if (this.#take(/\[/y) !== undefined) return this.#array();
    return this.#fail('expected a string, a boolean, an integer or an array');
  }

  #array(): TomlValue[] {
    const items: TomlValue[] = [];
    for (;;) {
      this.#skip(/(?:\s|#[^\n]*)*/y);
      if (this.#take(/\]/y) !== undefined) return items;
      items.push(this.#value());
      this.#skip(/(?:\s|#[^\n]*)*/y);
      if (this.#take(/,/y) === undefined && this.#text[this.#at] !== ']') this.#fail('expected , or ]');
    }
  }

  #string(): string | undefined {
    const literal = this.#take(/'[^'\n]*'/y);
    if (literal !== undefined) return literal.slice(1, -1);
    const basic = this.#take(/"(?:[^"\\\n]|\\.)*"/y);
    if (basic === undefined) return undefined;
    try {
      return JSON.parse(basic.replaceAll('\t', '\\t')) as string;
    } catch {
      return this.#fail('a string has an escape that is not supported');
    }
  }

  #tableAt(from: TomlTable, path: readonly string[]): TomlTable {
    let table = from;
    for (const part of path) {
      const next = (table[part] ??= newTable());
      if (typeof next !== 'object' || Array.isArray(next)) return this.#fail(`${part} is not a table`);
      table = next as TomlTable;
    }
    return table;
  }

  #skip(pattern: RegExp): void {
    this.#take(pattern);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at = pattern.lastIndex;
    return match[0];
  }

  #fail(problem: string): never {
    throw new TomlError(`line ${this.#text.slice(0, this.#at).split('\n').length}: ${problem}`);
  }
}

/** Names come from a file: none of them may be one of Object's own. */
function newTable(): TomlTable {
  return Object.create(null) as TomlTable;
}
