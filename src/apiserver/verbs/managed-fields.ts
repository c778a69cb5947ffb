/** Who owns which field: kept on every write, in the name of the request's field manager. */
import { apiVersionOf } from '../../api/index.ts';
import { formatTime, ownValue } from '../../base/index.ts';
import {
  ignoreManagedFieldsTimestamps,
  managedFieldsOfCreator,
  updateManagedFields,
  type FieldSet,
  type ResetFields,
} from '../../machinery/apply/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { clearsManagedFields, withEmptyLists } from '../registry/empty-lists.ts';
import { throughStorage } from '../registry/served-resource.ts';
import { hasStatusSubresource } from '../registry/status.ts';
import type { Strategy } from '../registry/strategy.ts';
import type { WriteOptions } from '../request/options.ts';
import { headerOf } from '../request/request.ts';
import type { Scope } from './scope.ts';

const MANAGER_LIMIT = 128;

/** What the client calls itself: its fieldManager, or else the first word of its User-Agent. */
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

/** Fills in the managedFields of an object that is being created; `written` is the decoded body that it is a copy of, where it is one. */
export function trackCreate(scope: Scope, object: KubeObject, manager: string, written: KubeObject = object): void {
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
  setManagedFields(object, track(scope, undefined, asTracked(scope, object, written), manager));
  if (template) template.ownedFields = object.metadata.managedFields?.[0]?.fieldsV1 as FieldSet | undefined;
}

/** The updated object with its managedFields; `written` is the decoded body that it is a copy of, where it is one. */
export function trackUpdate(
  scope: Scope,
  live: KubeObject,
  object: KubeObject,
  manager: string,
  written: KubeObject = object,
): KubeObject {
  if (clearsManagedFields(written)) object.metadata.managedFields = [];
  const shown = throughStorage(scope.served, object);
  const updated = { ...shown, metadata: { ...shown.metadata } };
  setManagedFields(updated, track(scope, live, asTracked(scope, shown, written), manager));
  return keepTimes(live, updated);
}

/** The object with what its author is held to have written, besides what will be stored. */
function asTracked({ served }: Scope, object: KubeObject, written: KubeObject): KubeObject {
  const shown = withEmptyLists(served.message, object, written);
  return served.strategy.tracked?.(shown) ?? shown;
}

function setManagedFields({ metadata }: KubeObject, { metadata: { managedFields } }: KubeObject): void {
  if (managedFields) metadata.managedFields = managedFields;
  else delete metadata.managedFields;
}

/** A write that would change only the times of ownership is none. */
export const keepTimes = ignoreManagedFieldsTimestamps;

function track(scope: Scope, live: KubeObject | undefined, updated: KubeObject, manager: string): KubeObject {
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
    ...(served.versions ? { versions: served.versions } : {}),
  });
}

/** What this endpoint resets, and so cannot own: the status for plain writes, everything else for /status. */
export function resetFieldsOf(scope: Scope): ResetFields {
  const { strategy } = scope.served;
  let bySubresource = resetFields.get(strategy);
  if (!bySubresource) resetFields.set(strategy, (bySubresource = new Map()));
  const key = hasStatusSubresource(scope.served) ? `${scope.subresource}/status` : scope.subresource;
  let fields = bySubresource.get(key);
  if (!fields) bySubresource.set(key, (fields = findResetFields(scope)));
  return fields;
}

/** The same list for the same endpoint: what is made of it is kept with it. Views of a subresource have strategies of their own. */
const resetFields = new WeakMap<Strategy, Map<string, ResetFields>>();

function findResetFields(scope: Scope): ResetFields {
  const { strategy } = scope.served;
  if (scope.subresource === 'status') return (strategy.statusResetFields ?? ['spec']).map((path) => path.split('.'));
  const subresource = ownValue(strategy.subresources, scope.subresource);
  if (subresource) return (subresource.resetFields ?? []).map((path) => path.split('.'));
  const own = (strategy.resetFields ?? []).map((path) => path.split('.'));
  return hasStatusSubresource(scope.served) && !strategy.keepStatusOnWrite ? [...own, ['status']] : own;
}
