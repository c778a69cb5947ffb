/** Links the declarations of the API to a Schema: resolves type strings and flattens inlined messages. */
import type { FieldDeclaration, KindDeclaration, PackageDeclaration } from './declare.ts';
import type { Field, Message, Resource, Scalar, ScalarType, Schema, Type } from './schema.ts';

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

/** `known` are packages that are linked already: the new ones may use their messages. */
export function linkSchema(packages: readonly PackageDeclaration[], known?: KnownPackages): Schema {
  const messages = linkMessages(packages, known);
  const kinds = new Map<string, Message>();
  for (const pkg of packages) {
    for (const [name, declaration] of Object.entries(pkg.messages)) {
      if (declaration.object) kinds.set(`${pkg.group}/${pkg.version}/${name}`, messages.get(`${pkg.prefix}.${name}`)!);
    }
  }
  const resources = packages.flatMap((pkg) => pkg.kinds.map((kind) => linkResource(pkg, kind, messages)));
  const resourceIndex = new Map(resources.map((r) => [`${r.group}/${r.version}/${r.plural}`, r]));
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

interface KnownPackages {
  readonly packages: readonly PackageDeclaration[];
  readonly schema: Schema;
}

/** Creates all messages before their fields, because messages refer to each other. */
function linkMessages(packages: readonly PackageDeclaration[], known?: KnownPackages): ReadonlyMap<string, Message> {
  const messages = new Map<string, MutableMessage>();
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
  const linker = known
    ? new FieldLinker([...known.packages, ...packages], new Map([...known.schema.messages, ...messages]))
    : new FieldLinker(packages, messages);
  for (const pkg of packages) {
    for (const [name, declaration] of Object.entries(pkg.messages)) {
      const { wireFields } = messages.get(`${pkg.prefix}.${name}`)!;
      for (const [fieldName, field] of Object.entries(declaration.fields))
        wireFields.push(linker.field(pkg, name, fieldName, field));
    }
  }
  for (const message of messages.values()) flattenInto(message, message.wireFields);
  return messages;
}

/** What clients may do with the objects of most kinds. */
const STORED_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

function linkResource(
  pkg: PackageDeclaration,
  declaration: KindDeclaration,
  messages: ReadonlyMap<string, Message>,
): Resource {
  const message = messages.get(`${pkg.prefix}.${declaration.kind}`);
  if (!message) throw new Error(`${pkg.alias}.${declaration.kind}: the kind's message is not declared`);
  return {
    singular: declaration.kind.toLowerCase(),
    verbs: STORED_VERBS,
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

/** Resolves the type strings of fields. */
class FieldLinker {
  readonly #byAlias: ReadonlyMap<string, PackageDeclaration>;
  readonly #messages: ReadonlyMap<string, Message>;

  constructor(packages: readonly PackageDeclaration[], messages: ReadonlyMap<string, Message>) {
    this.#byAlias = new Map(packages.map((pkg) => [pkg.alias, pkg]));
    this.#messages = messages;
  }

  field(pkg: PackageDeclaration, messageName: string, name: string, declaration: FieldDeclaration): Field {
    const { options } = declaration;
    const pointer = declaration.type.startsWith('*');
    const where = `${pkg.alias}.${messageName}.${name}`;
    return {
      name,
      number: declaration.number,
      type: this.#type(pkg, pointer ? declaration.type.slice(1) : declaration.type, declaration, where),
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
      distinguishesEmpty: options.distinguishesEmpty ?? false,
      gate: options.gate,
    };
  }

  #type(pkg: PackageDeclaration, text: string, declaration: FieldDeclaration, where: string): Type {
    const { goName } = declaration.options;
    const namedType = (plain: string): string => (goName ? `${pkg.version}.${goName}` : plain);
    if (text.startsWith('[]')) {
      const element = this.#type(pkg, text.slice(2), declaration, where);
      const { list } = declaration.options;
      const keys = typeof list === 'object' ? list.map : [];
      const untyped = list === 'untyped';
      const listType = typeof list === 'object' ? 'map' : untyped ? 'atomic' : (list ?? 'atomic');
      return {
        kind: 'list',
        element,
        listType,
        untyped,
        keys,
        wrapped: false,
        goType: namedType(`[]${element.goType}`),
      };
    }
    if (text.startsWith('map[string]')) {
      const value = this.#type(pkg, text.slice('map[string]'.length), declaration, where);
      const { atomic = false, keyType = 'string' } = declaration.options;
      const goKeyType = keyType === 'QualifiedName' ? `${pkg.version}.${keyType}` : keyType;
      return { kind: 'map', value, atomic, goType: namedType(`map[${goKeyType}]${value.goType}`) };
    }
    const named = this.#named(pkg, text, where);
    // The copy shares the lists of fields, which are filled when all messages are known.
    return named.kind === 'message' && declaration.options.granular ? { ...named, atomic: false } : named;
  }

  #named(pkg: PackageDeclaration, text: string, where: string): Type {
    const scalar = SCALARS.get(text);
    if (scalar) return scalar;
    const dot = text.indexOf('.');
    const owner = dot < 0 ? pkg : this.#byAlias.get(text.slice(0, dot));
    const name = text.slice(dot + 1);
    if (owner) {
      const goType = `${owner.version}.${name}`;
      if (WRAPPED_LISTS.includes(name)) {
        const element = SCALARS.get('string')!;
        return { kind: 'list', element, listType: 'atomic', untyped: true, keys: [], wrapped: true, goType };
      }
      const union = UNIONS.find((u) => u === name);
      if (union)
        return { kind: 'union', union, schema: this.#messages.get(`${owner.prefix}.JSONSchemaProps`)!, goType };
      const message = this.#messages.get(`${owner.prefix}.${name}`);
      if (message) return message;
      const values = owner.strings[name];
      if (values) return { kind: 'scalar', scalar: 'string', goType, values };
    }
    throw new Error(`${where}: the type "${text}" is not declared`);
  }
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
