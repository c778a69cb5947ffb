/** Field selectors: `metadata.name=a,spec.nodeName!=b`. */
import { badRequest } from '../errors/index.ts';

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** All requirements must hold; an absent field has the empty value. */
class FieldSelector {
  constructor(readonly requirements: readonly FieldRequirement[]) {}

  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  matches(valueOf: (field: string) => string): boolean {
    return this.requirements.every(({ field, operator, value }) => (valueOf(field) === value) === (operator === '='));
  }

  /** The only value that the field may have, if the selector requires one. */
  requiresExactMatch(field: string): string | undefined {
    return this.requirements.find((r) => r.field === field && r.operator === '=')?.value;
  }

  toString(): string {
    return this.requirements.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(',');
  }
}

/** `metadata.name=a,spec.nodeName!=b`; in values, `\` escapes itself, `,` and `=`. Throws a StatusError. */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements = splitTerms(text)
    .sort()
    .filter((term) => term !== '')
    .map((term): FieldRequirement => {
      const match = /^((?:[^!=]|!(?!=))*)(!=|==?)(.*)$/s.exec(term);
      if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      return { field: match[1]!, operator: match[2] === '!=' ? '!=' : '=', value: unescapeValue(match[3]!) };
    })
    // As upstream, a term without a field and a value selects everything.
    .filter(({ field, value }) => field !== '' || value !== '');
  return new FieldSelector(requirements);
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') {
      i++;
    } else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

/** The selector of objects whose field has this value. */
export const fieldEquals = (field: string, value: string): string => `${field}=${escapeValue(value)}`;

const escapeValue = (value: string): string => value.replace(/[\\,=]/g, '\\$&');

function unescapeValue(text: string): string {
  let value = '';
  const characters = [...text];
  for (let i = 0; i < characters.length; i++) {
    const char = characters[i]!;
    if (char === ',' || char === '=')
      throw badRequest(`invalid field selector: unescaped character in value: ${char.codePointAt(0)!}`);
    if (char !== '\\') {
      value += char;
      continue;
    }
    const escaped = characters[++i] ?? '';
    if (escaped === '' || !'\\,='.includes(escaped))
      throw badRequest(`invalid field selector: invalid escape sequence: \\${escaped}`);
    value += escaped;
  }
  return value;
}
