/** Field ownership: every write updates managedFields in the name of the request's field manager. */
import type { ManagedFieldsEntry } from '../../api/generated/meta-v1.ts';
import { apiVersionOf } from '../../api/index.ts';
import { formatTime, fromPieces, ownValue, type MaybePromise } from '../../base/index.ts';
import {
  ignoreManagedFieldsTimestamps,
  managedFieldsOfCreator,
  rememberFieldSetText,
  updateManagedFields,
  type FieldSet,
  type ResetFields,
} from '../../machinery/apply/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { clearsManagedFields, withEmptyLists } from '../registry/empty-lists.ts';
import { throughStorage } from '../registry/served-resource.ts';
import { hasStatusSubresource } from '../registry/status.ts';
import type { Strategy } from '../registry/strategy.ts';
import { inSlices } from '../request/in-slices.ts';
import type { WriteOptions } from '../request/options.ts';
import { headerOf } from '../request/request.ts';
import { betweenStages } from './read-body.ts';
import type { Scope } from './scope.ts';
import { textsOf } from './texts-of.ts';
import { threadKind } from './thread-kind.ts';

const MANAGER_LIMIT = 128;

/** The fieldManager of the request, or else the first word of its User-Agent. */
export function managerOf(scope: Scope, options: Pick<WriteOptions, 'fieldManager'>): string {
  if (options.fieldManager !== '') return options.fieldManager;
  const agent = headerOf(scope.request, 'user-agent') ?? '';
  let manager = managers.get(agent);
  if (manager === undefined) {
    manager = managerOfAgent(agent);
    if (managers.size < REMEMBERED_AGENTS) managers.set(agent, manager);
  }
  return manager;
}

const REMEMBERED_AGENTS = 1000;
const managers = new Map<string, string>();

const managerOfAgent = (agent: string): string =>
  [...agent.split('/')[0]!]
    .filter((char) => /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char))
    .join('')
    .slice(0, MANAGER_LIMIT) || 'unknown';

/** Sets the managedFields of a new object; `written` is the decoded body of which it is a copy, if it is one. */
export function trackCreate(
  scope: Scope,
  object: KubeObject,
  manager: string,
  written: KubeObject = object,
): MaybePromise<void> {
  const { template } = scope;
  if (template?.ownedFields) {
    const now = formatTime(scope.backend.ctx.clock.now());
    object.metadata.managedFields = managedFieldsOfCreator({
      manager,
      apiVersion: apiVersionOf(scope.served),
      time: now,
      fields: template.ownedFields,
    });
    return;
  }
  const tracked = asTracked(scope, object, written);
  if (scope.isLarge)
    return trackInThread(scope, undefined, tracked, manager).then((entries) => setManagedFields(object, entries));
  setManagedFields(object, track(scope, undefined, tracked, manager));
  if (template) template.ownedFields = object.metadata.managedFields?.[0]?.fieldsV1 as FieldSet | undefined;
}

/** The updated object with its managedFields; `written` is the decoded body of which it is a copy, if it is one. */
export function trackUpdate(
  scope: Scope,
  live: KubeObject,
  object: KubeObject,
  manager: string,
  written: KubeObject = object,
): MaybePromise<KubeObject> {
  const cleared = clearsManagedFields(written);
  if (cleared) object.metadata.managedFields = [];
  const stored = throughStorage(scope.served, object);
  // The stored version has no empty lists.
  const shown = cleared ? { ...stored, metadata: { ...stored.metadata, managedFields: [] } } : stored;
  const updated = { ...shown, metadata: { ...shown.metadata } };
  const tracked = asTracked(scope, shown, written);
  if (scope.isLarge)
    return trackInThread(scope, live, tracked, manager).then(async (entries) => {
      setManagedFields(updated, entries);
      await betweenStages(scope);
      return keepTimes(live, updated);
    });
  setManagedFields(updated, track(scope, live, tracked, manager));
  return keepTimes(live, updated);
}

/** The managedFields of a large object, from the thread of large requests. */
async function trackInThread(
  scope: Scope,
  live: KubeObject | undefined,
  updated: KubeObject,
  manager: string,
): Promise<ManagedFieldsEntry[] | undefined> {
  const { served, subresource, backend } = scope;
  const known = threadKind(served);
  const texts = known && (await textsOf(scope, updated, live));
  const input = texts && {
    kind: known.kind,
    updated: texts[0]!,
    ...(live ? { live: texts[1]! } : {}),
    manager,
    apiVersion: apiVersionOf(served),
    subresource,
    now: formatTime(backend.ctx.clock.now()),
    resetFields: resetFieldsOf(scope),
  };
  const output = input && (await backend.stages.run('trackFields', input, known.custom));
  if (!output) return track(scope, live, updated, manager);
  const entries: ManagedFieldsEntry[] = [];
  for (const [i, entry] of (output.entries ?? []).entries()) {
    const fields = output.fields[i];
    if (fields) {
      const fieldsV1 = (await inSlices(backend.ctx.clock, fromPieces(fields.pieces))) as FieldSet;
      rememberFieldSetText(fieldsV1, fields.text);
      entries.push({ ...entry, fieldsV1 });
    } else entries.push(entry);
  }
  return output.entries && entries;
}

/** The object with everything that its author counts as having written, such as empty lists that are not stored. */
function asTracked({ served }: Scope, object: KubeObject, written: KubeObject): KubeObject {
  const shown = withEmptyLists(served.message, object, written);
  return served.strategy.tracked?.(shown) ?? shown;
}

function setManagedFields({ metadata }: KubeObject, managedFields: ManagedFieldsEntry[] | undefined): void {
  if (managedFields) metadata.managedFields = managedFields;
  else delete metadata.managedFields;
}

/** A write that changes only the timestamps of managedFields changes nothing. */
export const keepTimes = ignoreManagedFieldsTimestamps;

function track(
  scope: Scope,
  live: KubeObject | undefined,
  updated: KubeObject,
  manager: string,
): ManagedFieldsEntry[] | undefined {
  const { served, subresource, backend } = scope;
  return updateManagedFields({
    live,
    updated,
    manager,
    apiVersion: apiVersionOf(served),
    subresource,
    schemaMessage: served.message,
    now: formatTime(backend.ctx.clock.now()),
    resetFields: resetFieldsOf(scope),
    mayBeMistyped: served.custom,
    ...(served.versions ? { versions: served.versions } : {}),
  }).metadata.managedFields;
}

/**
 * The fields that this endpoint resets, and so cannot own: the status for plain writes, everything else for /status.
 */
export function resetFieldsOf(scope: Scope): ResetFields {
  const { strategy } = scope.served;
  let bySubresource = resetFields.get(strategy);
  if (!bySubresource) resetFields.set(strategy, (bySubresource = new Map()));
  const key = hasStatusSubresource(scope.served) ? `${scope.subresource}/status` : scope.subresource;
  let fields = bySubresource.get(key);
  if (!fields) bySubresource.set(key, (fields = findResetFields(scope)));
  return fields;
}

/** Cached, because callers key caches by the list. Views of a subresource have strategies of their own. */
const resetFields = new WeakMap<Strategy, Map<string, ResetFields>>();

function findResetFields(scope: Scope): ResetFields {
  const { strategy } = scope.served;
  if (scope.subresource === 'status') return (strategy.statusResetFields ?? ['spec']).map((path) => path.split('.'));
  const subresource = ownValue(strategy.subresources, scope.subresource);
  if (subresource) return (subresource.resetFields ?? []).map((path) => path.split('.'));
  const own = (strategy.resetFields ?? []).map((path) => path.split('.'));
  const ownsStatus = strategy.keepStatusOnWrite || strategy.ownsSentStatus;
  return hasStatusSubresource(scope.served) && !ownsStatus ? [...own, ['status']] : own;
}
