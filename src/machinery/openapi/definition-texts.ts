import { schema } from '../../api/index.ts';
/** The JSON texts of the built-in definitions. */
import { type Steps } from '../../base/index.ts';
import { messageDefinition } from './definitions.ts';
import { member, type Member } from './part.ts';
import { type Style } from './references.ts';
import { specialDefinition } from './special-definitions.ts';

interface Definition {
  readonly member: Member;
  readonly refs: readonly string[];
}

const REF = /"\$ref":"#\/(?:definitions|components\/schemas)\/([^"]+)"/g;

/** The names of the definitions that a text refers to. */
export const refsIn = (text: string): string[] => [...text.matchAll(REF)].map((match) => match[1]!);

/** Caches the JSON of each definition; documents are joined from these. */
export class DefinitionTexts {
  readonly #known = new Map<string, Definition | undefined>();

  readonly #style: Style;

  constructor(style: Style) {
    this.#style = style;
  }

  /** The named definitions and all that they refer to, directly or indirectly. */
  *reachableFrom(names: Iterable<string>): Steps<Member[]> {
    const found = new Map<string, Member>();
    const pending = [...names];
    while (pending.length > 0) {
      const name = pending.pop()!;
      if (found.has(name)) continue;
      const definition = this.#definition(name);
      if (!definition) continue;
      found.set(name, definition.member);
      pending.push(...definition.refs);
      yield;
    }
    return [...found.values()];
  }

  #definition(name: string): Definition | undefined {
    if (!this.#known.has(name)) this.#known.set(name, this.#make(name));
    return this.#known.get(name);
  }

  #make(name: string): Definition | undefined {
    const message = schema.messages.get(name);
    const definition = message ? messageDefinition(message, this.#style) : specialDefinition(name, this.#style);
    if (!definition) return undefined;
    const text = JSON.stringify(definition);
    return { member: member(name, text), refs: refsIn(text) };
  }
}
