/** Completion and checks of an editor, from the schema of the kind that its text names. */
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { Diagnostic } from '@codemirror/lint';
import { isMap, isScalar, isSeq, parseDocument, type Node } from 'yaml';
import { visible } from '../format.ts';
import { T } from '../texts.ts';
import { schemaOf } from './cluster-schemas.ts';
import { pathAt, wrongValue, type KindSchema, type Schema } from './schema.ts';

function kindOf(text: string): Promise<KindSchema | undefined> {
  const apiVersion = /^apiVersion:\s*"?([\w./-]+)"?\s*$/m.exec(text)?.[1];
  const kind = /^kind:\s*"?(\w+)"?\s*$/m.exec(text)?.[1];
  return apiVersion && kind ? schemaOf(apiVersion, kind) : Promise.resolve(undefined);
}

const typeText = ({ type, items, format }: Schema): string =>
  format === 'int-or-string' ? 'int or string' : type === 'array' ? `[]${items?.type ?? ''}` : (type ?? '');

export async function completeFields(context: CompletionContext): Promise<CompletionResult | null> {
  const { doc } = context.state;
  const line = doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const schema = await kindOf(doc.toString());
  if (!schema) return null;
  const lines = doc.toString().split('\n');
  const value = /^(\s*(?:- +)*)([\w.-]+):\s+(\w*)$/.exec(before);
  if (value) {
    const [, lead = '', name = '', typed = ''] = value;
    const found = schema.at([...pathBefore(lines, line.number - 1, lead), name]);
    const values = found?.enum ?? (found?.type === 'boolean' ? [true, false] : []);
    if (values.length === 0) return null;
    return { from: context.pos - typed.length, options: values.map((each) => ({ label: String(each), type: 'enum' })) };
  }
  const key = /^(\s*(?:- +)*)(\w*)$/.exec(before);
  if (!key || (!context.explicit && key[2] === '')) return null;
  const [, lead = '', typed = ''] = key;
  const found = schema.at(pathBefore(lines, line.number - 1, lead));
  const required = new Set(found?.required ?? []);
  return {
    from: context.pos - typed.length,
    options: Object.entries(found?.properties ?? {}).map(([name, property]) => {
      const resolved = schema.resolve(property);
      const isNested = resolved.type === 'object' || resolved.type === 'array';
      return {
        label: name,
        apply: isNested ? `${name}:` : `${name}: `,
        detail: typeText(resolved),
        info: visible(property.description ?? resolved.description, 400),
        type: 'property',
        boost: required.has(name) ? 1 : 0,
      };
    }),
  };
}

/** The path around a field whose line begins so; a dash begins an item of a list. */
function pathBefore(lines: readonly string[], line: number, lead: string): string[] {
  const dash = lead.indexOf('-');
  if (dash < 0) return pathAt(lines, line, lead.length);
  const path = pathAt(lines, line, dash + 1);
  return path.at(-1) === '[]' ? path : [...path, '[]'];
}

const MAX_PROBLEMS = 50;

/** Fields that the kind does not have, and values of another type. */
export async function checkFields(text: string): Promise<Diagnostic[]> {
  const kind = await kindOf(text);
  if (!kind) return [];
  const found: Diagnostic[] = [];
  const report = (node: unknown, severity: Diagnostic['severity'], message: string): void => {
    const range = (node as Node | null)?.range;
    if (range && found.length < MAX_PROBLEMS) found.push({ from: range[0], to: range[1], severity, message });
  };
  const walk = (node: unknown, schema: Schema): void => {
    if (isMap(node)) {
      if (schema.type !== undefined && schema.type !== 'object') return report(node, 'error', wrongValue(schema, {})!);
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : '';
        const property = memberOf(schema, name);
        if (property) walk(value, kind.resolve(property));
        else if (schema.properties && !schema['x-kubernetes-preserve-unknown-fields'])
          report(key, 'error', T.edit.unknownField(visible(name, 60)));
      }
    } else if (isSeq(node)) {
      if (schema.type !== undefined && schema.type !== 'array') return report(node, 'error', wrongValue(schema, [])!);
      for (const item of node.items) walk(item, kind.resolve(schema.items ?? {}));
    } else if (isScalar(node)) {
      const problem = wrongValue(schema, node.value);
      if (problem !== undefined) report(node, 'error', problem);
    }
  };
  walk(parseDocument(text).contents, kind.resolve(kind.root));
  return found;
}

function memberOf({ properties, additionalProperties }: Schema, name: string): Schema | undefined {
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  if (typeof additionalProperties === 'object') return additionalProperties;
  // Where nothing is declared, everything is allowed.
  return properties ? undefined : {};
}
