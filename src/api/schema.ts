import type {
  ColumnDeclaration,
  FieldDeclaration,
  KindDeclaration,
  PackageDeclaration,
  SubresourceDeclaration,
  UnionDeclaration,
} from './declare.ts';

/**
 * The declarations, linked: type strings resolved, inlined messages flattened, lookups by name. Everything that
 * depends on the shape of an object (decoding, defaulting, OpenAPI, protobuf, patch, apply) walks these types, and a
 * custom resource's schema is turned into the same types.
 */
export type Type = ScalarType | ListType | MapType | Message | UnionType;

export type Scalar =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'double'
  | 'bytes'
  | 'Quantity'
  | 'IntOrString'
  | 'Time'
  | 'MicroTime'
  | 'Duration'
  | 'RawExtension'
  | 'JSON'
  | 'FieldsV1';

export interface ScalarType {
  readonly kind: 'scalar';
  readonly scalar: Scalar;
  /** The type's name in upstream's decoding errors: `int32`, `v1.RestartPolicy`, `resource.Quantity`. */
  readonly goType: string;
  /** The declared values of a named string; empty where any string will do. */
  readonly values: readonly string[];
}

export interface ListType {
  readonly kind: 'list';
  readonly element: Type;
  readonly listType: 'atomic' | 'set' | 'map';
  /** The list is atomic without a declaration, so OpenAPI states no list type. */
  readonly untyped?: boolean;
  /** The identifying keys of a `map` list. */
  readonly keys: readonly string[];
  /** In protobuf the list is a message with one repeated field `items` (ExtraValue, Verbs). */
  readonly wrapped: boolean;
  readonly goType: string;
}

export interface MapType {
  readonly kind: 'map';
  readonly value: Type;
  readonly atomic: boolean;
  readonly goType: string;
}

/** JSON schema's either-or fields: a schema, or else a list of schemas, a boolean, or a list of strings. */
export interface UnionType {
  readonly kind: 'union';
  readonly union: 'JSONSchemaPropsOrArray' | 'JSONSchemaPropsOrBool' | 'JSONSchemaPropsOrStringArray';
  readonly schema: Message;
  readonly goType: string;
}

export interface Message {
  readonly kind: 'message';
  /** `PodSpec` */
  readonly name: string;
  /** `io.k8s.api.core.v1.PodSpec`; empty for the anonymous objects of a custom resource's schema. */
  readonly fullName: string;
  /** `v1.PodSpec` */
  readonly goType: string;
  readonly description: string;
  /** Has apiVersion and kind, which are not among `fields`. */
  readonly object: boolean;
  readonly atomic: boolean;
  readonly union?: UnionDeclaration;
  /** As they stand in JSON: the fields of inlined messages are in their place. */
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  /** As they stand in protobuf: inlined messages are fields of their own, marked `inline`. */
  readonly wireFields: readonly Field[];
  /** The type of fields that are not declared, in custom resources that preserve them; absent where there are none. */
  readonly unknownFields?: Type;
}

export interface Field {
  /** The JSON name. */
  readonly name: string;
  readonly number: number;
  readonly type: Type;
  readonly description: string;
  /** Absent and zero are different things. */
  readonly pointer: boolean;
  /** Written even when it is the zero value (null for an absent pointer, list or map). */
  readonly keep: boolean;
  /** A message or time that is left out when it is zero. */
  readonly omitZero: boolean;
  readonly required: boolean;
  readonly default: string | number | boolean | undefined;
  /** OpenAPI v3 states the default, or the zero value where none is declared. */
  readonly statesDefault?: boolean;
  /** OpenAPI states the map type `granular`. */
  readonly granular?: boolean;
  /** Bytes of which OpenAPI states the list type `atomic`. */
  readonly atomicBytes?: boolean;
  readonly patchStrategy: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly mergeKey: string | undefined;
  readonly inline: boolean;
  /** To defaults and checks an empty list or map is not an absent one. */
  readonly tellsEmpty: boolean;
  readonly gate: string | undefined;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A resource as the API server serves it: a declared kind with its place in the schema. */
export interface Resource extends GroupVersionKind {
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: Readonly<Record<string, SubresourceDeclaration>>;
  readonly selectableFields: Readonly<Record<string, string>>;
  readonly columns: readonly ColumnDeclaration[];
  readonly listKind: string;
  readonly message: Message;
}

export interface Schema {
  readonly messages: ReadonlyMap<string, Message>;
  /** In the order of the packages, then of their declarations. */
  readonly resources: readonly Resource[];
  /** By full name; throws for a name that is not declared. */
  message(fullName: string): Message;
  /** The message of an object kind (`Pod`, `PodList`, `Scale`), if the API has it. */
  kind(gvk: GroupVersionKind): Message | undefined;
  resource(group: string, version: string, plural: string): Resource | undefined;
}

/** `v1` or `apps/v1`. */
export function apiVersionOf(gv: { group: string; version: string }): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

const SCALAR_GO_TYPES: Record<Scalar, string> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
  bytes: '[]uint8',
  Quantity: 'resource.Quantity',
  IntOrString: 'intstr.IntOrString',
  Time: 'v1.Time',
  MicroTime: 'v1.MicroTime',
  Duration: 'v1.Duration',
  RawExtension: 'runtime.RawExtension',
  JSON: 'v1.JSON',
  FieldsV1: 'v1.FieldsV1',
};

const UNIONS = ['JSONSchemaPropsOrArray', 'JSONSchemaPropsOrBool', 'JSONSchemaPropsOrStringArray'] as const;
const WRAPPED_LISTS = ['ExtraValue', 'Verbs'];

const SCALARS = new Map(
  (Object.keys(SCALAR_GO_TYPES) as Scalar[]).map((scalar): [string, ScalarType] => [
    scalar,
    { kind: 'scalar', scalar, goType: SCALAR_GO_TYPES[scalar], values: [] },
  ]),
);

export function linkSchema(packages: readonly PackageDeclaration[]): Schema {
  const messages = new Map<string, MutableMessage>();
  const byAlias = new Map(packages.map((p) => [p.alias, p]));

  for (const pkg of packages) {
    for (const [name, declaration] of Object.entries(pkg.messages)) {
      messages.set(`${pkg.prefix}.${name}`, {
        kind: 'message',
        name,
        fullName: `${pkg.prefix}.${name}`,
        goType: `${pkg.version}.${name}`,
        description: declaration.description,
        object: declaration.object,
        atomic: declaration.atomic,
        ...(declaration.union ? { union: declaration.union } : {}),
        fields: [],
        byName: new Map(),
        wireFields: [],
      });
    }
  }

  for (const pkg of packages) {
    for (const [name, declaration] of Object.entries(pkg.messages)) {
      const message = messages.get(`${pkg.prefix}.${name}`)!;
      for (const [fieldName, field] of Object.entries(declaration.fields)) {
        message.wireFields.push(linkField(pkg, name, fieldName, field));
      }
    }
  }
  for (const message of messages.values()) flattenInto(message, message.wireFields);

  function linkField(pkg: PackageDeclaration, messageName: string, name: string, declaration: FieldDeclaration): Field {
    const { options } = declaration;
    const pointer = declaration.type.startsWith('*');
    const where = `${pkg.alias}.${messageName}.${name}`;
    return {
      name,
      number: declaration.number,
      type: linkType(pkg, pointer ? declaration.type.slice(1) : declaration.type, declaration, where),
      description: declaration.description,
      pointer,
      keep: options.keep ?? false,
      omitZero: options.omitZero ?? false,
      required: options.required ?? false,
      default: options.default,
      statesDefault: options.statesDefault ?? false,
      granular: options.granular ?? false,
      atomicBytes: declaration.type === 'bytes' && options.list === 'atomic',
      patchStrategy: (options.patch?.split(',') ?? []) as Field['patchStrategy'],
      mergeKey: options.mergeKey,
      inline: options.inline ?? false,
      tellsEmpty: options.tellsEmpty ?? false,
      gate: options.gate,
    };
  }

  function linkType(pkg: PackageDeclaration, text: string, declaration: FieldDeclaration, where: string): Type {
    if (text.startsWith('[]')) {
      const element = linkType(pkg, text.slice(2), declaration, where);
      const { list } = declaration.options;
      const keys = typeof list === 'object' ? list.map : [];
      const untyped = list === 'untyped';
      const listType = typeof list === 'object' ? 'map' : untyped ? 'atomic' : (list ?? 'atomic');
      return { kind: 'list', element, listType, untyped, keys, wrapped: false, goType: `[]${element.goType}` };
    }
    if (text.startsWith('map[string]')) {
      const value = linkType(pkg, text.slice('map[string]'.length), declaration, where);
      return { kind: 'map', value, atomic: declaration.options.atomic ?? false, goType: `map[string]${value.goType}` };
    }
    const named = linkNamed(pkg, text, where);
    // A copy that shares the lists of fields, which are filled in when all messages are known.
    return named.kind === 'message' && declaration.options.granular ? { ...named, atomic: false } : named;
  }

  function linkNamed(pkg: PackageDeclaration, text: string, where: string): Type {
    const scalar = SCALARS.get(text);
    if (scalar) return scalar;
    const dot = text.indexOf('.');
    const owner = dot < 0 ? pkg : byAlias.get(text.slice(0, dot));
    const name = text.slice(dot + 1);
    if (owner) {
      const goType = `${owner.version}.${name}`;
      if (WRAPPED_LISTS.includes(name)) {
        const element = SCALARS.get('string')!;
        return { kind: 'list', element, listType: 'atomic', untyped: true, keys: [], wrapped: true, goType };
      }
      const union = UNIONS.find((u) => u === name);
      if (union) return { kind: 'union', union, schema: messages.get(`${owner.prefix}.JSONSchemaProps`)!, goType };
      const message = messages.get(`${owner.prefix}.${name}`);
      if (message) return message;
      const values = owner.strings[name];
      if (values) return { kind: 'scalar', scalar: 'string', goType, values };
    }
    throw new Error(`${where}: the type "${text}" is not declared`);
  }

  const kinds = new Map<string, Message>();
  for (const pkg of packages) {
    for (const [name, declaration] of Object.entries(pkg.messages)) {
      if (declaration.object) kinds.set(`${pkg.group}/${pkg.version}/${name}`, messages.get(`${pkg.prefix}.${name}`)!);
    }
  }
  const resources = packages.flatMap((pkg) => pkg.kinds.map((kind) => linkResource(pkg, kind)));
  const resourceIndex = new Map(resources.map((r) => [`${r.group}/${r.version}/${r.plural}`, r]));

  function linkResource(pkg: PackageDeclaration, declaration: KindDeclaration): Resource {
    const message = messages.get(`${pkg.prefix}.${declaration.kind}`);
    if (!message) throw new Error(`${pkg.alias}.${declaration.kind}: the kind's message is not declared`);
    return {
      shortNames: [],
      categories: [],
      subresources: {},
      selectableFields: {},
      columns: [],
      ...declaration,
      group: pkg.group,
      version: pkg.version,
      listKind: `${declaration.kind}List`,
      message,
    };
  }

  return {
    messages,
    resources,
    message(fullName) {
      const found = messages.get(fullName);
      if (!found) throw new Error(`no message "${fullName}" is declared`);
      return found;
    },
    kind: (gvk) => kinds.get(`${gvk.group}/${gvk.version}/${gvk.kind}`),
    resource: (group, version, plural) => resourceIndex.get(`${group}/${version}/${plural}`),
  };
}

interface MutableMessage extends Message {
  readonly fields: Field[];
  readonly byName: Map<string, Field>;
  readonly wireFields: Field[];
}

function flattenInto(message: MutableMessage, fields: readonly Field[]): void {
  for (const field of fields) {
    if (field.inline && field.type.kind === 'message') {
      flattenInto(message, field.type.wireFields);
    } else {
      message.fields.push(field);
      message.byName.set(field.name, field);
    }
  }
}
