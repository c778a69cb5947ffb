/** Which manager owns the field of each line of an object's YAML. */
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from 'yaml';
import type { FieldSet, ManagedFields } from '../api/objects.ts';

/** By line, from 1. A line whose field nobody manages has none. */
export function managersByLine(text: string, managedFields: readonly ManagedFields[]): Map<number, string> {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const lines = new Map<number, string>();
  const sets = managedFields.map(({ manager = '', fieldsV1 }) => ({ manager, set: fieldsV1 }));
  const mark = (node: Node | null | undefined, owners: readonly Owner[]): void => {
    const at = node?.range?.[0];
    const names = owners.filter(({ set }) => set !== undefined).map(({ manager }) => manager);
    if (at !== undefined && names.length > 0) lines.set(counter.linePos(at).line, [...new Set(names)].join(', '));
  };
  const walk = (node: unknown, owners: readonly Owner[]): void => {
    if (isMap(node)) {
      for (const { key, value } of node.items) {
        if (!isScalar(key)) continue;
        const below = owners.map(({ manager, set }) => ({ manager, set: childOf(set, `f:${String(key.value)}`) }));
        // Parents are managed with their fields; naming them would only repeat it.
        if (!isMap(value) && !isSeq(value)) mark(key as Node, below);
        walk(value, below);
      }
    } else if (isSeq(node)) {
      for (const item of node.items) {
        const json: unknown = isMap(item) || isScalar(item) ? item.toJSON() : undefined;
        const below = owners.map(({ manager, set }) => ({ manager, set: itemOf(set, json) }));
        if (isScalar(item)) mark(item as Node, below);
        walk(item, below);
      }
    }
  };
  walk(document.contents, sets);
  return lines;
}

interface Owner {
  readonly manager: string;
  readonly set: FieldSet | undefined;
}

/** The whole of an atomic field is owned with it. */
const isLeaf = (set: FieldSet): boolean => Object.keys(set).length === 0;

function childOf(set: FieldSet | undefined, key: string): FieldSet | undefined {
  if (set === undefined || isLeaf(set)) return set;
  return Object.hasOwn(set, key) ? set[key] : undefined;
}

function itemOf(set: FieldSet | undefined, item: unknown): FieldSet | undefined {
  if (set === undefined || isLeaf(set)) return set;
  for (const [key, value] of Object.entries(set)) {
    if (key.startsWith('v:') && key.slice(2) === JSON.stringify(item)) return value;
    if (!key.startsWith('k:') || typeof item !== 'object' || item === null) continue;
    const wanted = Object.entries(JSON.parse(key.slice(2)) as Record<string, unknown>);
    if (wanted.every(([name, of]) => (item as Record<string, unknown>)[name] === of)) return value;
  }
  return undefined;
}
