import { schema } from '../../api/index.ts';
import { messageDefinition, type Style } from './definitions.ts';
import { specialDefinition } from './special-definitions.ts';

interface Definition {
  readonly text: string;
  readonly refs: readonly string[];
}

const REF = /"\$ref":"#\/(?:definitions|components\/schemas)\/([^"]+)"/g;

const refsIn = (text: string): string[] => [...text.matchAll(REF)].map((match) => match[1]!);

/** The JSON of each definition, made once: documents are joined of them. */
export class DefinitionTexts {
  private readonly known = new Map<string, Definition | undefined>();

  constructor(private readonly style: Style) {}

  /** Every definition that the texts refer to, and those that they refer to in turn. */
  reachableFrom(texts: readonly string[]): [string, string][] {
    const found = new Map<string, string>();
    const pending = texts.flatMap(refsIn);
    while (pending.length > 0) {
      const name = pending.pop()!;
      if (found.has(name)) continue;
      const definition = this.definition(name);
      if (!definition) continue;
      found.set(name, definition.text);
      pending.push(...definition.refs);
    }
    return [...found];
  }

  private definition(name: string): Definition | undefined {
    if (!this.known.has(name)) this.known.set(name, this.make(name));
    return this.known.get(name);
  }

  private make(name: string): Definition | undefined {
    const message = schema.messages.get(name);
    const definition = message ? messageDefinition(message, this.style) : specialDefinition(name, this.style);
    if (!definition) return undefined;
    const text = JSON.stringify(definition);
    return { text, refs: refsIn(text) };
  }
}
