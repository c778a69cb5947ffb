/** What a run exercises, of all that the API has: kinds, verbs, fields by the way they are written, query parameters. */
import { isRemoved, isServedByDefault, schema, type Message, type Resource, type Type } from '../../src/api/index.ts';
import type { Job } from './compare.ts';
import type { Step } from './conversation.ts';
import { fieldPlaces, textOf } from './fields.ts';

/** By which a field can be written. */
const WAYS = ['create', 'update', 'json patch', 'merge patch', 'strategic patch', 'apply', 'status'] as const;
type Way = (typeof WAYS)[number];

const PATCHES: Readonly<Record<string, Way>> = {
  'application/json-patch+json': 'json patch',
  'application/merge-patch+json': 'merge patch',
  'application/strategic-merge-patch+json': 'strategic patch',
  'application/apply-patch+yaml': 'apply',
};

const OF_WRITES = ['dryRun', 'fieldManager', 'fieldValidation', 'pretty'];
const OF_LISTS = ['continue', 'fieldSelector', 'labelSelector', 'limit', 'resourceVersion', 'resourceVersionMatch'];
const OF_DELETION = ['dryRun', 'gracePeriodSeconds', 'orphanDependents', 'propagationPolicy', 'pretty'];
/** The parameters that a server documents for each verb. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  get: ['pretty', 'resourceVersion'],
  list: [...OF_LISTS, 'allowWatchBookmarks', 'sendInitialEvents', 'timeoutSeconds', 'watch', 'pretty'],
  watch: [...OF_LISTS, 'allowWatchBookmarks', 'sendInitialEvents', 'timeoutSeconds', 'watch'],
  create: OF_WRITES,
  update: OF_WRITES,
  patch: [...OF_WRITES, 'force'],
  delete: [...OF_DELETION, 'ignoreStoreReadErrorWithClusterBreakingPotential'],
  deletecollection: [...OF_DELETION, ...OF_LISTS],
};

interface Target {
  readonly resource: Resource;
  readonly named: boolean;
  readonly subresource: string;
}

export interface Coverage {
  readonly kinds: Part;
  readonly verbs: Part;
  readonly subresources: Part;
  /** Fields as they are declared, once for each message. */
  readonly fields: ReadonlyMap<Way, Part>;
  /** Fields as places in kinds: those of a Pod's spec once more in each template. */
  readonly places: ReadonlyMap<Way, Part>;
  readonly parameters: ReadonlyMap<string, Part>;
}

/** How much of it was exercised, and what was not. */
export interface Part {
  readonly done: number;
  readonly of: number;
  readonly missing: readonly string[];
}

export function coverageOf(jobs: readonly Job[], everything = false): Coverage {
  const resources = schema.resources.filter(
    (resource) => isServedByDefault(resource.version) !== everything && !isRemoved(resource),
  );
  const seen = new Set<string>();
  for (const { conversation } of jobs) for (const step of conversation.steps) see(seen, step);
  const part = (wanted: readonly string[]): Part => {
    const all = [...new Set(wanted)];
    const missing = all.filter((one) => !seen.has(one));
    return { done: all.length - missing.length, of: all.length, missing };
  };
  return {
    kinds: part(resources.map((resource) => nameOf(resource))),
    verbs: part(resources.flatMap((resource) => resource.verbs.map((verb) => `${verb} ${nameOf(resource)}`))),
    subresources: part(
      resources.flatMap((resource) =>
        Object.entries(resource.subresources).flatMap(([name, { verbs }]) =>
          verbs.map((verb) => `${verb} ${nameOf(resource)}/${name}`),
        ),
      ),
    ),
    fields: new Map(WAYS.map((way) => [way, part(resources.flatMap((resource) => fieldsOf(resource, way)))])),
    places: new Map(WAYS.map((way) => [way, part(resources.flatMap((resource) => placesOf(resource, way)))])),
    parameters: new Map(
      Object.entries(PARAMETERS).map(([verb, names]) => [verb, part(names.map((name) => `${verb} ?${name}`))]),
    ),
  };
}

export function formatCoverage({ kinds, verbs, subresources, fields, places, parameters }: Coverage): string {
  const rows: [string, Part][] = [
    ['kinds', kinds],
    ['verbs of kinds', verbs],
    ['verbs of subresources', subresources],
    ...[...fields].map(([way, part]): [string, Part] => [`fields, ${way}`, part]),
    ...[...places].map(([way, part]): [string, Part] => [`places of fields, ${way}`, part]),
    ...[...parameters].map(([verb, part]): [string, Part] => [`parameters, ${verb}`, part]),
  ];
  return rows.map(([name, part]) => formatRow(name, part)).join('\n');
}

/** Missing fields are thousands in a short run: their number is enough. */
const SHOWN = 12;

function formatRow(name: string, { done, of, missing }: Part): string {
  const row = `${name.padEnd(28)}${String(done).padStart(7)} of ${String(of).padStart(6)}`;
  if (missing.length === 0 || missing.length > SHOWN * 4) return row;
  const more = missing.length > SHOWN ? [`and ${missing.length - SHOWN} more`] : [];
  return `${row}   not: ${[...missing.slice(0, SHOWN), ...more].join(', ')}`;
}

function nameOf({ group, version, plural }: Resource): string {
  return [plural, version, group].filter((word) => word !== '').join('.');
}

/** A status is written by its subresource; all else in each of the other ways. */
function isWrittenBy(resource: Resource, way: Way, firstSegment: string | undefined): boolean {
  const verb = way === 'create' ? 'create' : way === 'update' || way === 'status' ? 'update' : 'patch';
  const hasStatus = resource.subresources['status'] !== undefined;
  return resource.verbs.includes(verb) && (firstSegment === 'status' && hasStatus) === (way === 'status');
}

function placesOf(resource: Resource, way: Way): string[] {
  return fieldPlaces(resource.message)
    .filter(({ segments }) => isWrittenBy(resource, way, segments[0]))
    .map((place) => fieldKey(resource, way, textOf(place)));
}

function fieldsOf(resource: Resource, way: Way): string[] {
  const found = new Set<string>();
  const entered = new Set<Message>();
  const walk = (type: Type): void => {
    if (type.kind === 'list') walk(type.element);
    else if (type.kind === 'map') walk(type.value);
    else if (type.kind === 'message' && !entered.has(type)) {
      entered.add(type);
      for (const field of type.fields) {
        if (type === resource.message && !isWrittenBy(resource, way, field.name)) continue;
        found.add(declaredKey(way, type, field.name));
        walk(field.type);
      }
    }
  };
  walk(resource.message);
  return [...found];
}

function declaredKey(way: Way, { fullName }: Message, field: string): string {
  return `${way} ${fullName}.${field}`;
}

function fieldKey(resource: Resource, way: Way, field: string): string {
  return `${way} ${nameOf(resource)} ${field}`;
}

function see(seen: Set<string>, step: Step): void {
  const [path = '', query = ''] = step.path.split('?');
  const target = targetOf(path);
  if (!target) return;
  const { resource, subresource } = target;
  const parameters = new URLSearchParams(query);
  const verb = verbOf(step, target, parameters);
  seen.add(nameOf(resource));
  seen.add(`${verb} ${nameOf(resource)}${subresource === '' ? '' : `/${subresource}`}`);
  if (verb === 'list' && path.includes('/watch/')) seen.add(`watch ${nameOf(resource)}`);
  for (const name of parameters.keys()) seen.add(`${verb} ?${name}`);
  if (subresource !== '' && subresource !== 'status') return;
  const patched = step.method === 'PATCH' ? PATCHES[step.headers?.['content-type'] ?? ''] : undefined;
  const way = subresource === 'status' ? 'status' : verb === 'create' || verb === 'update' ? verb : patched;
  if (way === undefined) return;
  const add: AddField = (segments, of, field) => {
    seen.add(fieldKey(resource, way, textOf({ segments })));
    if (of !== undefined && field !== undefined) seen.add(declaredKey(way, of, field));
  };
  if (patched === 'json patch') seePointers(resource, step.body, add);
  else seeFields(resource.message, step.body, [], add);
}

type AddField = (segments: readonly string[], of?: Message, field?: string) => void;

function verbOf({ method }: Step, { named, subresource }: Target, parameters: URLSearchParams): string {
  if (method === 'GET' && !named && subresource === '')
    return ['true', '1'].includes(parameters.get('watch') ?? '') ? 'watch' : 'list';
  if (method === 'DELETE' && !named) return 'deletecollection';
  const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update' };
  return verbs[method] ?? method.toLowerCase();
}

/** `/apis/apps/v1/namespaces/$NS/deployments/name/scale`; an older path of watches has `watch` after the version. */
function targetOf(path: string): Target | undefined {
  const words = path.split('/').slice(1);
  const [group, version, ...rest] = words[0] === 'api' ? ['', ...words.slice(1)] : words.slice(1);
  const after = rest[0] === 'watch' ? rest.slice(1) : rest;
  const inside = after[0] === 'namespaces' && after.length > 2 ? namespaced(after, group ?? '', version ?? '') : after;
  const [plural = '', name, ...subresource] = inside;
  const resource = schema.resource(group ?? '', version ?? '', plural);
  return resource && { resource, named: name !== undefined && name !== '', subresource: subresource[0] ?? '' };
}

/** What stands after a namespace is a subresource of it, or a kind in it. */
function namespaced(words: readonly string[], group: string, version: string): readonly string[] {
  return schema.resource(group, version, words[2]!) ? words.slice(2) : words;
}

function seeFields(type: Type, value: unknown, segments: readonly string[], add: AddField): void {
  if (type.kind === 'list' && Array.isArray(value)) {
    for (const element of value) seeElement(type.element, element, [...segments, '[]'], add);
  } else if (type.kind === 'map' && isObject(value)) {
    for (const inner of Object.values(value)) seeElement(type.value, inner, [...segments, '{}'], add);
  } else if (type.kind === 'message' && isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      const field = type.byName.get(name);
      if (!field) continue;
      add([...segments, name], type, name);
      seeFields(field.type, inner, [...segments, name], add);
    }
  }
}

function seeElement(type: Type, value: unknown, segments: readonly string[], add: AddField): void {
  add(segments);
  seeFields(type, value, segments, add);
}

/** Of a JSON patch: where each operation points to, and what it brings there. */
function seePointers(resource: Resource, body: unknown, add: AddField): void {
  for (const operation of Array.isArray(body) ? (body as { path?: unknown; value?: unknown }[]) : []) {
    if (typeof operation?.path !== 'string') continue;
    const segments: string[] = [];
    let type: Type | undefined = resource.message;
    for (const word of operation.path.split('/').slice(1)) {
      segments.push(type?.kind === 'list' ? '[]' : type?.kind === 'map' ? '{}' : word);
      if (type?.kind === 'message') add(segments, type, word);
      else add(segments);
      type = innerType(type, word);
    }
    if (type) seeFields(type, operation.value, segments, add);
  }
}

function innerType(type: Type | undefined, word: string): Type | undefined {
  if (type?.kind === 'list') return type.element;
  if (type?.kind === 'map') return type.value;
  return type?.kind === 'message' ? type.byName.get(word)?.type : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
