/**
 * A patched value as upstream shows it in refusals. Its patch library parses only the objects that it goes into, and
 * writes those with sorted keys; all others stay as the live object was encoded, in declared order.
 */
import type { Message, Type } from '../../api/index.ts';
import { isRecord, stringifyJson } from '../../base/index.ts';

/** The objects that a patch goes into, by their keys; `all`: with everything below. */
type Visited = 'all' | Map<string, Visited>;

export function patchedText(value: unknown, patch: unknown, message: Message): string {
  // Custom resources are maps at every level.
  const visited = message.fullName === '' ? 'all' : Array.isArray(patch) ? ofJsonPatch(patch) : ofMergePatch(patch);
  return stringifyJson(ordered(value, visited, message));
}

function ofMergePatch(patch: unknown): Visited {
  if (!isRecord(patch)) return new Map();
  return new Map(Object.entries(patch).map(([key, value]) => [key, ofMergePatch(value)]));
}

function ofJsonPatch(operations: readonly unknown[]): Visited {
  const root = new Map<string, Visited>();
  for (const operation of operations) {
    const { path, from } = (operation ?? {}) as { path?: unknown; from?: unknown };
    for (const pointer of [path, from]) if (typeof pointer === 'string') visit(root, pointer);
  }
  return root;
}

/** The last step names what is set or removed; it is not gone into. */
function visit(root: Map<string, Visited>, pointer: string): void {
  let at = root;
  for (const step of pointer.split('/').slice(1, -1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const next = at.get(key) ?? new Map<string, Visited>();
    at.set(key, next);
    if (next === 'all') return;
    at = next;
  }
}

function ordered(value: unknown, visited: Visited | undefined, type: Type | undefined): unknown {
  if (Array.isArray(value)) {
    const element = type?.kind === 'list' ? type.element : undefined;
    return value.map((one, i) => ordered(one, below(visited, String(i)), element));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    keysOf(value, visited, type).map((key) => [key, ordered(value[key], below(visited, key), typeOf(type, key))]),
  );
}

const below = (visited: Visited | undefined, key: string): Visited | undefined =>
  visited === 'all' ? 'all' : visited?.get(key);

function keysOf(value: object, visited: Visited | undefined, type: Type | undefined): string[] {
  const keys = Object.keys(value);
  if (visited || type?.kind === 'map') return keys.sort();
  if (type?.kind !== 'message') return keys;
  const declared = new Map(type.fields.map(({ name }, i) => [name, i]));
  const position = (key: string): number => declared.get(key) ?? (TYPE_META.includes(key) ? -1 : declared.size);
  return keys.sort((a, b) => position(a) - position(b));
}

const TYPE_META = ['kind', 'apiVersion'];

function typeOf(type: Type | undefined, key: string): Type | undefined {
  if (type?.kind === 'message') return type.byName.get(key)?.type;
  return type?.kind === 'map' ? type.value : undefined;
}
