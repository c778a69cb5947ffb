/** What the fields of a kind are, from the cluster's OpenAPI v3 documents. */
import { T } from '../texts.ts';

export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

export interface SchemaDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** A schema and the document that its references are in. */
export class KindSchema {
  readonly #document: SchemaDocument;
  readonly root: Schema;

  constructor(document: SchemaDocument, root: Schema) {
    this.#document = document;
    this.root = root;
  }

  static find(document: SchemaDocument, apiVersion: string, kind: string): KindSchema | undefined {
    const slash = apiVersion.indexOf('/');
    const [group, version] = slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
    const root = Object.values(document.components?.schemas ?? {}).find((schema) =>
      schema['x-kubernetes-group-version-kind']?.some(
        (each) => each.group === group && each.version === version && each.kind === kind,
      ),
    );
    return root && new KindSchema(document, root);
  }

  /** With references and `allOf` followed; a description beside a reference stays. */
  resolve(schema: Schema, depth = 0): Schema {
    if (depth > 8) return schema;
    const { $ref, allOf, ...rest } = schema;
    const parts = [
      ...($ref === undefined ? [] : [this.#referenced($ref)]),
      ...(allOf ?? []).map((part) => this.resolve(part, depth + 1)),
    ];
    const below = parts.map((part) => this.resolve(part, depth + 1));
    return below.length === 0 ? rest : Object.assign({}, ...below, rest);
  }

  #referenced(reference: string): Schema {
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    const schemas = this.#document.components?.schemas ?? {};
    return Object.hasOwn(schemas, name) ? schemas[name]! : {};
  }

  /** The schema at a path of names, where `[]` is an item of a list; undefined where none is known. */
  at(path: readonly string[]): Schema | undefined {
    let schema: Schema | undefined = this.resolve(this.root);
    for (const name of path) {
      const next: Schema | undefined = name === '[]' ? schema.items : this.#member(schema, name);
      if (next === undefined) return undefined;
      schema = this.resolve(next);
    }
    return schema;
  }

  #member({ properties = {}, additionalProperties }: Schema, name: string): Schema | undefined {
    if (Object.hasOwn(properties, name)) return properties[name];
    return typeof additionalProperties === 'object' ? additionalProperties : undefined;
  }
}

/** The path of names around a place in YAML of block style, from the indents of the lines above. */
export function pathAt(lines: readonly string[], line: number, indent: number): string[] {
  const path: string[] = [];
  let limit = indent;
  for (let at = line - 1; at >= 0 && limit > 0; at--) {
    const [, spaces = '', dashes = '', name] = /^(\s*)((?:- +)*)(?:"?([\w.$/-]+)"?:)?/.exec(lines[at]!) ?? [];
    if (lines[at]!.trim() === '' || lines[at]!.trimStart().startsWith('#')) continue;
    const own = spaces.length + dashes.length;
    if (dashes !== '' && spaces.length < limit) {
      // `- name:` at 2: its fields are at 4, and the list is in what is less indented, or equally without dashes.
      if (own < limit && name !== undefined) path.unshift(name);
      path.unshift('[]');
      limit = spaces.length + 1;
    } else if (own < limit && name !== undefined) {
      path.unshift(name);
      limit = own;
    }
  }
  return path;
}

const W = T.edit.expected;

/** What is wrong with a plain value; undefined when it may be right. */
export function wrongValue(schema: Schema, value: unknown): string | undefined {
  if (value === null || value === undefined || schema['x-kubernetes-int-or-string']) return undefined;
  if (schema.format === 'int-or-string' || schema.type === undefined) return undefined;
  const isPlain = typeof value !== 'object';
  const { type } = schema;
  if (type === 'object') return isPlain || Array.isArray(value) ? W.fields : undefined;
  if (type === 'array') return Array.isArray(value) ? undefined : W.list;
  if (!isPlain) return W.plain(type);
  if (schema.enum && !schema.enum.includes(value)) return W.oneOf(schema.enum.join(', '));
  if (type === 'string') return typeof value === 'string' ? undefined : W.text;
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : W.boolean;
  if (type === 'integer') return Number.isInteger(value) ? undefined : W.integer;
  return type === 'number' && typeof value !== 'number' ? W.number : undefined;
}
