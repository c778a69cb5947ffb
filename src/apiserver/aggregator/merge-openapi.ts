/** Merges the OpenAPI v2 documents of aggregated servers: adds their paths, and shares equal definitions. */
import { deepEqual, isRecord, type JsonObject, type JsonValue } from '../../base/index.ts';
import type { AggregatedDocument } from './aggregated-apis.ts';

const REFERENCE = '#/definitions/';

interface OwnDocument {
  hasPath(path: string): boolean;
  definition(name: string): JsonObject | undefined;
}

/** Returns the paths and definitions to add to this server's own document. */
export function mergeOpenApiV2(
  own: OwnDocument,
  others: readonly AggregatedDocument[],
): { readonly paths: JsonObject; readonly definitions: JsonObject } {
  const paths: JsonObject = {};
  const definitions: JsonObject = {};
  const known = (name: string): JsonValue | undefined => definitions[name] ?? own.definition(name);
  for (const other of others) {
    const isNew = (path: string): boolean =>
      other.prefixes.some((prefix) => `${path}/`.startsWith(prefix)) &&
      !Object.hasOwn(paths, path) &&
      !own.hasPath(path);
    const added = Object.entries(recordOf(other.document['paths'])).filter(([path]) => isNew(path));
    const theirs = recordOf(other.document['definitions']);
    const needed = reachable(
      added.map(([, item]) => item),
      theirs,
    );
    const names = new Map([...needed].map((name) => [name, nameFor(name, theirs[name]!, known)]));
    for (const [name, renamed] of names)
      if (known(renamed) === undefined) definitions[renamed] = withReferences(theirs[name]!, names);
    for (const [path, item] of added) paths[path] = withReferences(item, names);
  }
  return { paths, definitions };
}

const recordOf = (value: unknown): JsonObject => (isRecord(value) ? (value as JsonObject) : {});

/** A name that already has another definition gets a version suffix. */
function nameFor(name: string, definition: JsonValue, known: (name: string) => JsonValue | undefined): string {
  for (let candidate = name, number = 2; ; candidate = `${name}_v${number++}`) {
    const existing = known(candidate);
    if (existing === undefined || deepEqual(existing, definition)) return candidate;
  }
}

function reachable(roots: readonly JsonValue[], definitions: JsonObject): Set<string> {
  const found = new Set<string>();
  const work = [...roots];
  for (let value = work.pop(); value !== undefined; value = work.pop()) {
    for (const name of referencesIn(value)) {
      if (found.has(name) || definitions[name] === undefined) continue;
      found.add(name);
      work.push(definitions[name]);
    }
  }
  return found;
}

function* referencesIn(value: JsonValue): Generator<string> {
  if (Array.isArray(value)) for (const element of value) yield* referencesIn(element);
  else if (isRecord(value)) {
    for (const [key, member] of Object.entries(value)) {
      if (key === '$ref' && typeof member === 'string' && member.startsWith(REFERENCE))
        yield member.slice(REFERENCE.length);
      else yield* referencesIn(member as JsonValue);
    }
  }
}

function withReferences(value: JsonValue, names: ReadonlyMap<string, string>): JsonValue {
  if (Array.isArray(value)) return value.map((element) => withReferences(element, names));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]): [string, JsonValue] => {
      if (key !== '$ref' || typeof member !== 'string') return [key, withReferences(member as JsonValue, names)];
      const renamed = names.get(member.slice(REFERENCE.length));
      return [key, renamed === undefined ? member : REFERENCE + renamed];
    }),
  );
}
