/**
 * The vocabulary in which the API is declared. A declaration is plain data: `link-schema.ts` links it into the form that
 * decoding, defaulting, OpenAPI, protobuf, patch and apply work on, and `npm run generate` writes the TypeScript
 * interfaces from it.
 *
 * A field's type is written as a short string:
 *
 *     string bool int32 int64 double bytes          scalars
 *     Quantity IntOrString Time MicroTime Duration  scalars with a syntax of their own
 *     RawExtension JSON FieldsV1                    any JSON value
 *     Container  meta.ObjectMeta  core.PodSpec      a message (of this package, or of another by its alias),
 *                                                   or a named string of the package
 *     []Container  map[string]Quantity              lists and maps of any of these
 *     *int64                                        absent and zero are different
 *
 * Without `*`, a scalar that is zero, a list or map that is empty is not written (unless `keep` says so), exactly as
 * upstream's encoding does; a message is always written, if only as `{}` (unless `omitZero`).
 */
export interface FieldDeclaration {
  readonly number: number;
  readonly type: string;
  readonly description: string;
  readonly options: FieldOptions;
}

interface FieldOptions {
  /** Listed as required in OpenAPI. */
  readonly required?: true;
  /** Written even when it is the zero value. */
  readonly keep?: true;
  /** A message or time without a `*` that is omitted if it is zero. */
  readonly omitZero?: true;
  /** The value that an absent field gets. Defaults that depend on other fields are in `machinery/defaulting`. */
  readonly default?: string | number | boolean;
  /**
   * OpenAPI v3 states the default: the declared one, or else the zero value. Upstream states those that are markers on
   * the Go type, and not those that its defaulting functions set.
   */
  readonly statesDefault?: true;
  /**
   * How the list merges in server-side apply; `{ map: keys }` for lists of objects with those identifying keys.
   * `untyped` is atomic, and OpenAPI does not say so.
   */
  readonly list?: 'atomic' | 'set' | 'untyped' | { readonly map: readonly string[] };
  /** The name of the Go type of a list or map that has one: messages name it. */
  readonly goName?: 'ValidationRules' | 'JSONSchemaDependencies' | 'JSONSchemaDefinitions';
  /** The Go type of a map's keys, where it is no plain string: messages name it. */
  readonly keyType?: 'QualifiedName' | 'v1.ResourceName';
  /** A map or message that server-side apply replaces as a whole. */
  readonly atomic?: true;
  /** A map, or a message that is atomic elsewhere, of which server-side apply merges the fields here. */
  readonly granular?: true;
  /** Strategic merge patch: the strategy, and the key that identifies a list's elements. */
  readonly patch?: 'merge' | 'replace' | 'retainKeys' | 'merge,retainKeys';
  readonly mergeKey?: string;
  /** In JSON the fields of this message are in the enclosing object; in protobuf it is a nested message. */
  readonly inline?: true;
  /**
   * Defaulting and validation distinguish an empty list or map from an absent one, although neither is stored. For a
   * message: those of its lists.
   */
  readonly distinguishesEmpty?: true;
  /** The feature gate that must be on for the field to be kept; off by default in v1.36. */
  readonly gate?: string;
}

export interface MessageDeclaration {
  readonly description: string;
  readonly fields: Readonly<Record<string, FieldDeclaration>>;
  /** Objects carry apiVersion and kind beside their fields. */
  readonly object: boolean;
  /** Server-side apply replaces it as a whole. */
  readonly atomic: boolean;
  readonly union?: UnionDeclaration;
}

/** Fields of which one at most is set. */
export interface UnionDeclaration {
  /** The field that says which one is set, if there is such a field. */
  readonly discriminator?: string;
  readonly members: readonly string[];
}

export type MessageDeclarations = Readonly<Record<string, MessageDeclaration>>;

/** Named strings with the values that they may have; an empty list where any string is a value. */
export type StringDeclarations = Readonly<Record<string, readonly string[]>>;

export interface ColumnDeclaration {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format: string;
  readonly priority: number;
}

export interface SubresourceDeclaration {
  readonly verbs: readonly string[];
  /** The kind of requests and responses, if it is not the resource's own: `Kind` or `group/version.Kind`. */
  readonly kind?: string;
}

export interface KindDeclaration {
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Default: all of a resource that is stored. */
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: Readonly<Record<string, SubresourceDeclaration>>;
  /** Fields for field selectors besides metadata.name and metadata.namespace: label → path in the object; `a|b` is b where a is empty. */
  readonly selectableFields?: Readonly<Record<string, string>>;
  readonly columns?: readonly ColumnDeclaration[];
  /** The feature gate that must be on for the kind to be served, besides its version. */
  readonly gate?: string;
  /** The release that deprecated the kind in this version, `1.34`, and the kind that replaces it, if upstream names it. */
  readonly deprecated?: { readonly since: string; readonly replacement?: string };
}

export interface PackageDeclaration {
  /** The prefix for this package in type strings of other packages: `core`, `meta`, `apps`. */
  readonly alias: string;
  readonly group: string;
  readonly version: string;
  /** The prefix of the messages' full names: `io.k8s.api.core.v1`. */
  readonly prefix: string;
  readonly messages: MessageDeclarations;
  readonly strings: StringDeclarations;
  readonly kinds: readonly KindDeclaration[];
}

export function field(number: number, type: string, description: string, options: FieldOptions = {}): FieldDeclaration {
  return { number, type, description, options };
}

export function message(
  description: string,
  fields: Record<string, FieldDeclaration>,
  options: { atomic?: boolean; union?: UnionDeclaration } = {},
): MessageDeclaration {
  return {
    description,
    fields,
    object: false,
    atomic: options.atomic ?? false,
    ...(options.union ? { union: options.union } : {}),
  };
}

export function object(description: string, fields: Record<string, FieldDeclaration>): MessageDeclaration {
  return { description, fields, object: true, atomic: false };
}

/**
 * Another version of a package that has some of its kinds, with the same fields. `messages` and `strings` are those that
 * differ or that the package lacks.
 */
export function inVersion(
  pkg: PackageDeclaration,
  version: string,
  { kinds, messages = {}, strings = {} }: InVersion,
): PackageDeclaration {
  return {
    alias: `${pkg.alias.replace(pkg.version, '')}${version}`,
    group: pkg.group,
    version,
    prefix: pkg.prefix.slice(0, -pkg.version.length) + version,
    strings: { ...pkg.strings, ...strings },
    messages: messagesOf(
      { ...pkg.messages, ...messages },
      kinds.map(({ kind }) => kind),
    ),
    kinds,
  };
}

/** The messages of some kinds: themselves, their lists and what their fields use. */
export function messagesOf(all: MessageDeclarations, kinds: readonly string[]): MessageDeclarations {
  const used = new Set<string>();
  const use = (name: string): void => {
    const declaration = all[name];
    if (!declaration || used.has(name)) return;
    used.add(name);
    for (const { type } of Object.values(declaration.fields)) use(type.replace(/^\*|\[\]|map\[string\]/g, ''));
  };
  for (const kind of kinds) for (const name of [kind, `${kind}List`]) use(name);
  return Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)));
}

interface InVersion {
  readonly kinds: readonly KindDeclaration[];
  readonly messages?: MessageDeclarations;
  readonly strings?: StringDeclarations;
}

/** The declarations of some kinds of a package. */
export const kindsOf = ({ kinds }: PackageDeclaration, names: readonly string[]): readonly KindDeclaration[] =>
  kinds.filter(({ kind }) => names.includes(kind));

/** The same kinds, deprecated in a version. */
export const deprecatedSince = (
  since: string,
  kinds: readonly KindDeclaration[],
  replacement?: string,
): readonly KindDeclaration[] =>
  kinds.map((kind) => ({
    ...kind,
    deprecated: { since, ...(replacement === undefined ? {} : { replacement: `${replacement} ${kind.kind}` }) },
  }));

/** The list of a kind: `metadata` and `items`, as every list has them. */
export function listOf(kind: string, items = 'The objects of the list.'): MessageDeclaration {
  return object(`A list of ${kind} objects.`, {
    metadata: field(1, 'meta.ListMeta', 'Metadata of the list.'),
    items: field(2, `[]${kind}`, items, { required: true, keep: true, list: 'untyped' }),
  });
}

/** A table column. `priority` 0 is always shown, 1 only with `-o wide`. */
export function column(name: string, type: ColumnDeclaration['type'], priority = 0, format = ''): ColumnDeclaration {
  return { name, type, format, priority };
}
