/** Validates an applied configuration against the schema, with the messages of structured-merge-diff. */
import { goSyntax, goTypeName, isRecord, plainText } from '../../base/index.ts';
import { DEDUCED, fieldOf, type ApplyType, type ListApplyType, type ScalarApplyType } from './apply-type.ts';
import { itemElement, UnidentifiedItemError } from './list-items.ts';
import { elementText, fieldElement } from './path-element.ts';

/** Whether a set or keyed list may have duplicate items: stored objects may, applied ones may not. */
export type Duplicates = 'allowed' | 'refused';

/** Undefined when the value fits its type. */
export function typedErrorText(type: ApplyType, value: unknown, duplicates: Duplicates): string | undefined {
  const errors: string[] = [];
  check(type, value, undefined, { duplicates, errors });
  if (errors.length === 0) return undefined;
  return errors.length === 1 ? errors[0] : ['errors:', ...errors.map((error) => `  ${error}`)].join('\n');
}

/** The path of a value; its text is built only for an error. */
interface PathNode {
  readonly parent: PathNode | undefined;
  /** A path element. */
  readonly element: string;
}

interface Check {
  readonly duplicates: Duplicates;
  readonly errors: string[];
}

function check(type: ApplyType, value: unknown, path: PathNode | undefined, context: Check): void {
  if (value === null || value === undefined) return;
  switch (type.kind) {
    case 'scalar': {
      const error = scalarError(type, value);
      if (error) report(context, path, error);
      return;
    }
    case 'atomic':
      return check(type.inner, value, path, context);
    case 'deduced':
      if (type.object && !isRecord(value)) report(context, path, `expected map, got ${shown(value)}`);
      return;
    case 'struct':
      if (!isRecord(value)) return report(context, path, `expected map, got ${shown(value)}`);
      for (const [name, member] of Object.entries(value)) {
        const field = fieldOf(type, name);
        const node = { parent: path, element: fieldElement(name) };
        if (!field) return report(context, node, 'field not declared in schema');
        check(field.type, member, node, context);
      }
      return;
    case 'map':
      if (!isRecord(value)) return report(context, path, `expected map, got ${shown(value)}`);
      if (type.value === DEDUCED) return;
      for (const [name, member] of Object.entries(value))
        check(type.value, member, { parent: path, element: fieldElement(name) }, context);
      return;
    case 'list':
      if (!Array.isArray(value)) return report(context, path, `expected list, got ${shown(value)}`);
      return checkItems(type, value, path, context);
  }
}

function checkItems(type: ListApplyType, list: readonly unknown[], path: PathNode | undefined, context: Check): void {
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    let element = `i:${index}`;
    if (type.keys) {
      try {
        element = itemElement(type.keys, item);
      } catch (error) {
        if (!(error instanceof UnidentifiedItemError)) throw error;
        return report(context, path, `element ${index}: ${error.message}`);
      }
      if (seen.has(element) && context.duplicates === 'refused') {
        report(context, path, `duplicate entries for key ${elementText(element)}`);
      }
      seen.add(element);
    }
    if (item !== null) check(type.item, item, { parent: path, element }, context);
  }
}

function scalarError(type: ScalarApplyType, value: unknown): string | undefined {
  switch (type.scalar) {
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'numeric':
      return typeof value === 'number' || typeof value === 'bigint'
        ? undefined
        : `expected numeric (int or float), got ${goTypeName(value)}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${shown(value)}`;
    case 'untyped':
      return typeof value === 'object' ? `expected any scalar, got ${shown(value)}` : undefined;
  }
}

const shown = (value: unknown): string => `&{${plainText(value)}}`;

function report(context: Check, node: PathNode | undefined, message: string): void {
  let path = '';
  for (let at = node; at; at = at.parent) path = elementText(at.element) + path;
  context.errors.push(path === '' ? message : `${path}: ${message}`);
}
