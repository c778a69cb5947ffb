/** The object types of mutating policies: `Object{…}` of apply configurations and `JSONPatch{…}`. */
import {
  DYN,
  type Expression,
  type Library,
  type ObjectField,
  type ObjectType,
  overload,
  partsOf,
  STRING,
} from '../index.ts';

export const jsonPatchLibrary: Library = {
  functions: {
    'jsonpatch.escapeKey': [
      overload('string_jsonpatch_escapeKey_string', [STRING], STRING, (key: string) =>
        key.replace(/[~/]/g, (char) => (char === '~' ? '~0' : '~1')),
      ),
    ],
  },
};

export const JSON_PATCH: ObjectType = {
  kind: 'object',
  name: 'JSONPatch',
  fields: new Map(
    Object.entries({ op: STRING, path: STRING, from: STRING, value: DYN }).map(([name, type]) => [
      name,
      { name, type },
    ]),
  ),
};

/** An Object accepts every field name with any value; the merge into the object checks them. */
class AnyField extends Map<string, ObjectField> {
  override get(name: string): ObjectField {
    return { name, type: DYN };
  }
  override has(): boolean {
    return true;
  }
}

const anyObject = (name: string): ObjectType => ({ kind: 'object', name, fields: new AnyField() });

export const OBJECT_TYPE = anyObject('Object');

/** The types of the object literals in an expression. */
export function patchTypesIn(expression: Expression): ObjectType[] {
  const names = new Set<string>();
  visit(expression, (node) => {
    if (node.kind === 'struct' && isObjectName(node.name)) names.add(node.name);
  });
  return [JSON_PATCH, OBJECT_TYPE, ...[...names].filter((name) => name !== 'Object').map(anyObject)];
}

const isObjectName = (name: string): boolean => name === 'Object' || name.startsWith('Object.');

/** Type names follow the field path: `Object.spec{ selector: Object.spec.selector{} }`. Returns the first violation. */
export function objectTypeNameError(expression: Expression): string | undefined {
  let found: string | undefined;
  const inside = (node: Expression, path: string): void => {
    switch (node.kind) {
      case 'struct':
        if (isObjectName(node.name) && node.name !== path) {
          found ??= `unexpected type name "${node.name}", expected "${path}", which matches field name path from root Object type`;
        }
        for (const { name, value } of node.fields) inside(value, `${path}.${name}`);
        return;
      case 'list':
        for (const { value } of node.elements) inside(value, path);
        return;
      case 'map':
        for (const { value } of node.entries) inside(value, path);
        return;
      case 'comprehension':
        if (node.transform) inside(node.transform, path);
        return;
      case 'call':
        if (node.name === '_?_:_') for (const branch of node.args.slice(1)) inside(branch, path);
    }
  };
  visit(expression, (node, parent) => {
    if (node.kind === 'struct' && isObjectName(node.name) && !(parent?.kind === 'struct' && isObjectName(parent.name)))
      inside(node, node.name);
  });
  return found;
}

function visit(
  node: Expression,
  visitor: (node: Expression, parent: Expression | undefined) => void,
  parent?: Expression,
): void {
  visitor(node, parent);
  for (const child of partsOf(node)) visit(child, visitor, node);
}
