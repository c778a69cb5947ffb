import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { generateFiles } from '../../scripts/generate.ts';
import { packages, schema, type Field, type Message, type Type } from './index.ts';

/** One row per message, so that a failure names every message and field that breaks the rule, not only the first. */
function violations(rule: (message: Message) => readonly string[]): string[] {
  return [...schema.messages.values()].flatMap((message) => rule(message).map((what) => `${message.fullName}${what}`));
}

function fieldViolations(rule: (field: Field, message: Message) => boolean): string[] {
  return violations((message) =>
    message.wireFields.filter((field) => rule(field, message)).map((field) => `.${field.name}`),
  );
}

const elementOf = (field: Field): Type | undefined => (field.type.kind === 'list' ? field.type.element : undefined);

const isSentence = (text: string): boolean => /^\S.*[.]$/.test(text) && text.length <= 120;

/** Whether an element of the list has a field of that name. */
function elementHas(field: Field, key: string): boolean {
  const element = elementOf(field);
  return element?.kind === 'message' && element.byName.has(key);
}

function fitsType(value: string | number | boolean, type: Type): boolean {
  if (type.kind !== 'scalar') return false;
  switch (type.scalar) {
    case 'bool':
      return typeof value === 'boolean';
    case 'int32':
    case 'int64':
      return Number.isInteger(value);
    case 'double':
      return typeof value === 'number';
    case 'IntOrString':
      return typeof value === 'string' || Number.isInteger(value);
    case 'string':
      return typeof value === 'string' && (type.values.length === 0 || type.values.includes(value));
    default:
      return typeof value === 'string';
  }
}

describe('every declaration', () => {
  test('describes each message in a short sentence', () => {
    expect(violations((message) => (isSentence(message.description) ? [] : [`: "${message.description}"`]))).toEqual(
      [],
    );
  });

  test('describes each field in a short sentence', () => {
    expect(fieldViolations((field) => !isSentence(field.description))).toEqual([]);
  });

  test('gives each field of a message a number of its own', () => {
    const repeated = (field: Field, message: Message) =>
      message.wireFields.some((other) => other !== field && other.number === field.number);
    expect(fieldViolations(repeated)).toEqual([]);
    expect(fieldViolations((field) => !Number.isInteger(field.number) || field.number < 1)).toEqual([]);
  });

  test('inlines messages only, and without two fields of one name', () => {
    expect(fieldViolations((field) => field.inline && field.type.kind !== 'message')).toEqual([]);
    expect(
      violations((message) => (message.fields.length === message.byName.size ? [] : [': a name stands twice'])),
    ).toEqual([]);
  });

  test('names a field of the element in each merge key', () => {
    expect(
      fieldViolations(
        (field) =>
          field.mergeKey !== undefined && elementOf(field)?.kind === 'message' && !elementHas(field, field.mergeKey),
      ),
    ).toEqual([]);
    expect(fieldViolations((field) => field.mergeKey !== undefined && !field.patchStrategy.includes('merge'))).toEqual(
      [],
    );
  });

  test('names fields of the element in the keys of each map list', () => {
    const broken = ({ type }: Field, has: (key: string) => boolean) =>
      type.kind === 'list' && type.listType === 'map' && (type.keys.length === 0 || !type.keys.every(has));
    expect(fieldViolations((field) => broken(field, (key) => elementHas(field, key)))).toEqual([]);
  });

  test('gives each default the type of its field', () => {
    expect(fieldViolations((field) => field.default !== undefined && !fitsType(field.default, field.type))).toEqual([]);
  });
});

describe('every kind', () => {
  // Events lead with when they were last seen; reviews and bindings are created and never listed.
  const withoutNameColumn = [
    'Binding',
    'Event',
    'LocalSubjectAccessReview',
    'SelfSubjectAccessReview',
    'SelfSubjectReview',
    'SelfSubjectRulesReview',
    'SubjectAccessReview',
    'TokenReview',
  ];

  test('has tables that start with a Name column, unless known otherwise', () => {
    const others = schema.resources
      .filter((resource) => resource.columns[0]?.name !== 'Name')
      .map((resource) => resource.kind);
    expect([...new Set(others)].sort()).toEqual(withoutNameColumn);
  });

  test('has an object message, and a list message when it can be listed', () => {
    const broken = schema.resources.filter(
      (resource) =>
        !resource.message.object ||
        (resource.verbs.includes('list') && !schema.kind({ ...resource, kind: resource.listKind })),
    );
    expect(broken.map((resource) => resource.kind)).toEqual([]);
  });

  test('offers only fields that exist to field selectors', () => {
    const missing = schema.resources.flatMap((resource) =>
      Object.values(resource.selectableFields)
        .flatMap((selectable) => selectable.split('|'))
        .filter((selectable) => !hasPath(resource.message, selectable.split('.')))
        .map((selectable) => `${resource.kind}: ${selectable}`),
    );
    expect(missing).toEqual([]);
  });
});

function hasPath(message: Message, [name, ...rest]: readonly string[]): boolean {
  const field = name === undefined ? undefined : message.byName.get(name);
  if (!field || rest.length === 0) return field !== undefined;
  return field.type.kind === 'message' && hasPath(field.type, rest);
}

describe('generated types', () => {
  const directory = path.join(import.meta.dirname, 'generated');
  const files = generateFiles();

  test('there is a file for each package and no other', () => {
    expect(fs.readdirSync(directory).sort()).toEqual([...files.keys()].sort());
    /** One more lists the resources of all packages. */
    expect(files.size).toBe(packages.length + 1);
  });

  test.each([...files.keys()])('%s is what "npm run generate" writes', (name) => {
    expect(fs.readFileSync(path.join(directory, name), 'utf8') === files.get(name)).toBe(true);
  });
});
