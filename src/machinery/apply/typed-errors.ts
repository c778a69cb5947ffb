/** Checks an applied configuration against the schema, with the messages that clients of apply know. */
import { isRecord } from '../object.ts';
import type { ApplyType, ListApplyType, ScalarApplyType } from './apply-type.ts';
import { DEDUCED } from './apply-type.ts';
import { goSyntax, goTypeName, plainText } from '../patch/go-text.ts';
import { itemElement, UnidentifiedItemError } from './list-items.ts';
import { elementText } from './path-element.ts';

/** Whether items of a set or a keyed list may repeat; in stored objects they may, in applied ones they may not. */
export type Duplicates = 'allowed' | 'refused';

/** Undefined when the value fits its type. */
export function typedErrorText(type: ApplyType, value: unknown, duplicates: Duplicates): string | undefined {
  const errors: string[] = [];
  check(type, value, '', { duplicates, errors });
  if (errors.length === 0) return undefined;
  return errors.length === 1 ? errors[0] : ['errors:', ...errors.map((error) => `  ${error}`)].join('\n');
}

interface Check {
  readonly duplicates: Duplicates;
  readonly errors: string[];
}

function check(type: ApplyType, value: unknown, path: string, context: Check): void {
  if (value === null) return;
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
        const field = type.byName.get(name);
        if (!field) return report(context, `${path}.${name}`, 'field not declared in schema');
        check(field.type, member, `${path}.${name}`, context);
      }
      return;
    case 'map':
      if (!isRecord(value)) return report(context, path, `expected map, got ${shown(value)}`);
      if (type.value === DEDUCED) return;
      for (const [name, member] of Object.entries(value)) check(type.value, member, `${path}.${name}`, context);
      return;
    case 'list':
      if (!Array.isArray(value)) return report(context, path, `expected list, got ${shown(value)}`);
      return checkItems(type, value, path, context);
  }
}

function checkItems(type: ListApplyType, list: readonly unknown[], path: string, context: Check): void {
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
    if (item !== null) check(type.item, item, `${path}${elementText(element)}`, context);
  }
}

function scalarError(type: ScalarApplyType, value: unknown): string | undefined {
  switch (type.scalar) {
    case 'string':
      return typeof value === 'string' ? undefined : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'numeric':
      return typeof value === 'number' || typeof value === 'bigint' ? undefined : `expected numeric (int or float), got ${goTypeName(value)}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${shown(value)}`;
    case 'untyped':
      return typeof value === 'object' ? `expected any scalar, got ${shown(value)}` : undefined;
  }
}

const shown = (value: unknown): string => `&{${plainText(value)}}`;

function report(context: Check, path: string, message: string): void {
  context.errors.push(path === '' ? message : `${path}: ${message}`);
}
