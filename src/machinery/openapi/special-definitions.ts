/** OpenAPI definitions of types that are not messages, or whose JSON form differs from their message. */
import type { ScalarType, UnionType } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { type Style } from './references.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const APIEXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';

const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const INT_OR_STRING = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';
export const VERSION_INFO = 'io.k8s.apimachinery.pkg.version.Info';

const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    Quantity: QUANTITY,
    IntOrString: INT_OR_STRING,
    Time: `${META}Time`,
    MicroTime: `${META}MicroTime`,
    Duration: `${META}Duration`,
    RawExtension: 'io.k8s.apimachinery.pkg.runtime.RawExtension',
    JSON: `${APIEXTENSIONS}JSON`,
    FieldsV1: `${META}FieldsV1`,
  }),
);

export function specialName(type: ScalarType | UnionType): string | undefined {
  return type.kind === 'union' ? `${APIEXTENSIONS}${type.union}` : NAMES.get(type.scalar);
}

const VERSION_FIELDS = {
  major: 'Major version.',
  minor: 'Minor version.',
  emulationMajor: 'Major version that is emulated.',
  emulationMinor: 'Minor version that is emulated.',
  minCompatibilityMajor: 'Oldest compatible major version.',
  minCompatibilityMinor: 'Oldest compatible minor version.',
  gitVersion: 'The whole version, such as v1.36.4.',
  gitCommit: 'Commit that the server was built from.',
  gitTreeState: 'Whether the sources were as committed: clean or dirty.',
  buildDate: 'When the server was built.',
  goVersion: 'Version of the toolchain.',
  compiler: 'Compiler.',
  platform: 'Operating system and architecture.',
};
const REQUIRED_VERSION_FIELDS = [
  'major',
  'minor',
  'gitVersion',
  'gitCommit',
  'gitTreeState',
  'buildDate',
  'goVersion',
  'compiler',
  'platform',
];

const SPECIAL: ReadonlyMap<string, (style: Style) => JsonObject> = new Map(
  Object.entries<(style: Style) => JsonObject>({
    [QUANTITY]: (style) => ({
      description:
        'An amount: a decimal number, with an optional suffix for a power of ten (n, u, m, k, M, G, T, P, E), a power of two (Ki, Mi, Gi, Ti, Pi, Ei) or a decimal exponent (e3). The server writes it back in a canonical form.',
      ...(style === 'v2' ? { type: 'string' } : { oneOf: [{ type: 'string' }, { type: 'number' }] }),
    }),
    [INT_OR_STRING]: (style) => ({
      description: 'A number or a string.',
      format: 'int-or-string',
      ...(style === 'v2' ? { type: 'string' } : { oneOf: [{ type: 'integer' }, { type: 'string' }] }),
    }),
    [`${META}Time`]: () => ({
      description: 'A time in RFC 3339 form, to the second.',
      type: 'string',
      format: 'date-time',
    }),
    [`${META}MicroTime`]: () => ({
      description: 'A time in RFC 3339 form, to the microsecond.',
      type: 'string',
      format: 'date-time',
    }),
    [`${META}Duration`]: () => ({ description: 'A duration, such as 1h2m3.5s.', type: 'string' }),
    [`${META}FieldsV1`]: () => ({
      description:
        'A set of fields, as a tree: f:NAME for a field, k:KEYS for an item by its keys, v:VALUE for an item by its value, "." for the thing itself.',
      type: 'object',
    }),
    [`${META}Patch`]: () => ({
      description: 'A change to an object, in the form that the media type names.',
      type: 'object',
    }),
    'io.k8s.apimachinery.pkg.runtime.RawExtension': () => ({ description: 'Any object.', type: 'object' }),
    [`${APIEXTENSIONS}JSON`]: () => ({ description: 'Any JSON value.' }),
    [`${APIEXTENSIONS}JSONSchemaPropsOrArray`]: () => ({ description: 'A schema, or a list of schemas.' }),
    [`${APIEXTENSIONS}JSONSchemaPropsOrBool`]: () => ({ description: 'A schema, or true or false.' }),
    [`${APIEXTENSIONS}JSONSchemaPropsOrStringArray`]: () => ({ description: 'A schema, or a list of property names.' }),
    [VERSION_INFO]: (style) => ({
      description: 'The version of the server.',
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(VERSION_FIELDS).map(([name, description]): [string, JsonObject] => {
          const stated: JsonObject = style === 'v3' && REQUIRED_VERSION_FIELDS.includes(name) ? { default: '' } : {};
          return [name, { description, type: 'string', ...stated }];
        }),
      ),
      required: REQUIRED_VERSION_FIELDS,
    }),
  }),
);

export const specialDefinition = (name: string, style: Style): JsonObject | undefined =>
  SPECIAL.has(name) ? SPECIAL.get(name)!(style) : undefined;
