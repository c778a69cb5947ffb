/** The format library, named formats: `format.dns1123Label().validate(name)` gives the errors, if there are any. */
import {
  labelValue,
  type Messages,
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  qualifiedName,
} from '../../machinery/names/index.ts';
import { parseGoUrl, stringFormat } from '../../machinery/validation/index.ts';
import { method, overload, type Library, type Overload } from '../function-table.ts';
import { STRING, listOf, opaque, optionalOf } from '../types.ts';
import { LibraryValue, Optional, type Value } from '../values.ts';

const FORMAT = opaque('kubernetes.NamedFormat');

class FormatValue extends LibraryValue {
  readonly typeName = FORMAT.name;

  constructor(
    readonly name: string,
    readonly validate: (text: string) => Messages,
  ) {
    super();
  }

  override equals(other: Value): boolean {
    return other === this;
  }
}

const bySchema =
  (format: string, message: string) =>
  (text: string): Messages =>
    stringFormat(format)!(text) ? [] : [message];

function requestUri(text: string): Messages {
  const parsed = parseGoUrl(text);
  if (typeof parsed === 'string') return [parsed];
  if (text === '') return ['parse "": empty url'];
  return text.startsWith('/') || parsed.scheme !== '' ? [] : [`parse ${JSON.stringify(text)}: invalid URI for request`];
}

const FORMATS = new Map(
  (
    [
      ['dns1123Label', (text) => nameIsDnsLabel(text)],
      ['dns1123Subdomain', (text) => nameIsDnsSubdomain(text)],
      ['dns1035Label', (text) => nameIsDns1035Label(text)],
      ['qualifiedName', (text) => qualifiedName(text)],
      ['dns1123LabelPrefix', (text) => nameIsDnsLabel(text, true)],
      ['dns1123SubdomainPrefix', (text) => nameIsDnsSubdomain(text, true)],
      ['dns1035LabelPrefix', (text) => nameIsDns1035Label(text, true)],
      ['labelValue', (text) => labelValue(text)],
      ['uri', requestUri],
      ['uuid', bySchema('uuid', 'does not match the UUID format')],
      ['byte', bySchema('byte', 'invalid base64')],
      ['date', bySchema('date', 'invalid date')],
      ['datetime', bySchema('date-time', 'invalid datetime')],
    ] satisfies [string, (text: string) => Messages][]
  ).map(([name, validate]) => [name, new FormatValue(name, validate)]),
);

function validate(format: FormatValue, text: string): Value {
  const problems = format.validate(text);
  return problems.length === 0 ? Optional.NONE : Optional.of([...problems]);
}

const constants: Record<string, readonly Overload[]> = Object.fromEntries(
  [...FORMATS].map(([name, value]) => [`format.${name}`, [overload(`format.${name}`, [], FORMAT, () => value)]]),
);

export const formatLibrary: Library = {
  functions: {
    ...constants,
    'format.named': [
      overload('format_named', [STRING], optionalOf(FORMAT), (name: string) => {
        const found = FORMATS.get(name);
        return found ? Optional.of(found) : Optional.NONE;
      }),
    ],
    validate: [method('format-validate', [FORMAT, STRING], optionalOf(listOf(STRING)), validate)],
  },
};
