/**
 * Server-side apply: merges an applied configuration into the live object, finds conflicts with other field managers,
 * and updates managedFields.
 */
import { apiVersionOf, type GroupVersionKind, type Message, schema } from '../../api/index.ts';
import { errorMessage, append, deepEqual, isRecord } from '../../base/index.ts';
import { conform, tryConform } from '../decode/index.ts';
import { badRequest, failure } from '../errors/index.ts';
import type { KubeObject } from '../index.ts';
import { withinDepth } from '../patch/index.ts';
import { compileMessage } from './apply-type.ts';
import { compareObjects } from './compare.ts';
import { conflictError, conflictsOf, type Conflict } from './conflicts.ts';
import { emptyObject } from './empty-object.ts';
import { hasPath, intersection } from './field-set.ts';
import { KUBECTL_MANAGER, lastAppliedFields, withLastApplied } from './last-applied.ts';
import { UnidentifiedItemError } from './list-items.ts';
import {
  capUpdateOwners,
  decodeManagedFields,
  encodeManagedFields,
  isSameOwner,
  type FieldOwner,
} from './managed-fields.ts';
import { mergeTyped } from './merge-typed.ts';
import { prune } from './prune.ts';
import { reconcileOwners } from './reconcile-schema.ts';
import { ignoredFields, type ResetFields } from './reset-fields.ts';
import { fieldSetOf } from './to-field-set.ts';
import { typedErrorText } from './typed-errors.ts';
import { withoutChanged, ownersAfterUpdate } from './update-managed-fields.ts';
import type { OtherVersions } from './versions.ts';

export interface ApplyRequest {
  /** The stored object; undefined if the apply creates it. */
  readonly live: KubeObject | undefined;
  /** The configuration from the request: plain JSON, not in canonical form. */
  readonly applied: Readonly<Record<string, unknown>>;
  readonly manager: string;
  /** Take over conflicting fields from other managers. */
  readonly force: boolean;
  /** The kind of the endpoint. */
  readonly kind: GroupVersionKind;
  readonly schemaMessage: Message;
  /** `status`, `scale`…; empty for the object itself. */
  readonly subresource?: string;
  /** The time of the write: RFC 3339, whole seconds, UTC. */
  readonly now: string;
  readonly resetFields?: ResetFields;
  readonly versions?: OtherVersions;
  /** A custom resource: its stored values may not fit a schema that was changed since. */
  readonly mayBeMistyped?: boolean;
}

interface ApplyResult {
  /** With its managedFields. Applied values are not canonical yet and not defaulted. */
  readonly object: KubeObject;
  /** False if nothing but managedFields changes. */
  readonly changed: boolean;
}

/** Throws a StatusError: 409 for conflicts, 400 or 500 for an invalid configuration. */
export function applyPatch(request: ApplyRequest): ApplyResult {
  return withinDepth(() => {
    checkKind(request);
    const owners = ownersBefore(request);
    checkConfiguration(request);
    const mistyped = liveErrorText(request);
    if (mistyped !== undefined)
      throw failure(
        500,
        '',
        `failed to create typed live object (${subjectText(request.live!, request.kind)}): ${mistyped}`,
      );
    try {
      return apply(request, owners);
    } catch (error) {
      if (!(error instanceof UnidentifiedItemError)) throw error;
      throw failure(
        500,
        '',
        `failed to create typed live object (${subjectText(request.live ?? request.applied, request.kind)}): ${error.message}`,
      );
    }
  });
}

/** Throws a StatusError for the configuration of another kind. */
export function checkKind({ applied, kind }: Pick<ApplyRequest, 'applied' | 'kind'>): void {
  const apiVersion = typeof applied['apiVersion'] === 'string' ? applied['apiVersion'] : '';
  const given = typeof applied['kind'] === 'string' ? applied['kind'] : '';
  if (apiVersion === apiVersionOf(kind) && given === kind.kind) return;
  const parts = apiVersion.split('/');
  const [group, version] = parts.length === 1 ? ['', parts[0]!] : [parts[0]!, parts[1]!];
  const gvk = parts.length > 2 ? { group: '', version: '', kind: '' } : { group, version, kind: given };
  throw badRequest(`invalid object type: ${kindText(gvk)}`);
}

const kindText = (gvk: GroupVersionKind): string => `${gvk.group}/${gvk.version}, Kind=${gvk.kind}`;

function subjectText(object: Readonly<Record<string, unknown>>, kind: GroupVersionKind): string {
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return `${text(metadata['namespace'])}/${text(metadata['name'])}; ${kindText(kind)}`;
}

function ownersBefore(request: ApplyRequest): readonly FieldOwner[] {
  const { live } = request;
  if (!live) return [];
  let owners: readonly FieldOwner[];
  try {
    owners = decodeManagedFields(live.metadata.managedFields ?? [], 'stored');
  } catch (error) {
    throw failure(500, '', `failed to decode managed fields: ${errorMessage(error)}`);
  }
  if (owners.length === 0) {
    const mistyped = liveErrorText(request);
    if (mistyped !== undefined)
      throw failure(
        500,
        '',
        `failed to create manager for existing fields: failed to convert new object (${subjectText(live, request.kind)}) to smd typed: ${mistyped}`,
      );
    // The object has no managedFields: everything belongs to the manager `before-first-apply`.
    const update = {
      ...request,
      live: undefined,
      updated: live,
      manager: 'before-first-apply',
      apiVersion: apiVersionOf(request.kind),
    };
    return capUpdateOwners(ownersAfterUpdate([], update));
  }
  return reconcileOwners(owners, request.schemaMessage, apiVersionOf(request.kind));
}

const liveErrorText = ({ live, schemaMessage, mayBeMistyped }: ApplyRequest): string | undefined =>
  live && mayBeMistyped ? typedErrorText(compileMessage(schemaMessage), live, 'allowed') : undefined;

const ENTRY = schema.message('io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry');

/** Fields that an entry does not have are no mistake here. */
function isManagedFieldsEntry(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const known = ENTRY.fields.flatMap(({ name }) => (value[name] === undefined ? [] : [[name, value[name]]]));
  return tryConform(ENTRY, Object.fromEntries(known)) !== undefined;
}

function checkConfiguration({ applied, kind, schemaMessage }: ApplyRequest): void {
  const { metadata } = applied;
  const managedFields: unknown = isRecord(metadata) ? metadata['managedFields'] : undefined;
  // What does not decode as entries fails by its type, or when the merged object is converted.
  if (Array.isArray(managedFields) && managedFields.every(isManagedFieldsEntry)) throw managedFieldsMustBeNil();
  const error = typedErrorText(compileMessage(schemaMessage), applied, 'refused');
  if (error !== undefined)
    throw failure(500, '', `failed to create typed patch object (${subjectText(applied, kind)}): ${error}`);
  if (Array.isArray(managedFields)) checkEntries(managedFields.filter(isRecord), applied, kind);
}

/** Upstream takes entries that do not decode for none, and fails when it converts the merged object. */
function checkEntries(entries: readonly object[], applied: ApplyRequest['applied'], kind: GroupVersionKind): void {
  for (const entry of entries) {
    try {
      conform(ENTRY, entry);
    } catch (error) {
      const why = errorMessage(error).replace(/struct field \S+ of type/, 'value of type');
      const converting = `to proper version: unable to convert unstructured object to ${kindText(kind)}: ${why}`;
      throw failure(500, '', `failed to convert new object (${subjectText(applied, kind)}) ${converting}`);
    }
  }
}

const managedFieldsMustBeNil = () => badRequest('metadata.managedFields must be nil');

function apply(request: ApplyRequest, owners: readonly FieldOwner[]): ApplyResult {
  const attempt = tryApply(request, owners);
  if (attempt.conflicts.length > 0 && !request.force) {
    const conflicts =
      request.manager === KUBECTL_MANAGER ? withoutLastApplied(request, attempt.conflicts) : attempt.conflicts;
    if (conflicts.length > 0) throw conflictError(conflicts);
  }
  const metadata = { ...attempt.object.metadata };
  delete metadata.managedFields;
  const entries = encodeManagedFields(attempt.owners);
  if (entries) metadata.managedFields = entries;
  const object = { ...attempt.object, metadata };
  return {
    object: request.manager === KUBECTL_MANAGER ? withLastApplied(object, request.applied) : object,
    changed: attempt.changed,
  };
}

/** Drops conflicts over fields that kubectl itself last applied on the client side. */
function withoutLastApplied(
  { live, schemaMessage, kind }: ApplyRequest,
  conflicts: readonly Conflict[],
): readonly Conflict[] {
  const own = live && lastAppliedFields(compileMessage(schemaMessage), live, apiVersionOf(kind));
  return own ? conflicts.filter(({ path }) => !hasPath(own, path)) : conflicts;
}

interface Attempt {
  readonly object: KubeObject;
  readonly changed: boolean;
  readonly owners: readonly FieldOwner[];
  readonly conflicts: readonly Conflict[];
}

function tryApply(request: ApplyRequest, owners: readonly FieldOwner[]): Attempt {
  const { live, applied, schemaMessage, versions } = request;
  const apiVersion = apiVersionOf(request.kind);
  const type = compileMessage(schemaMessage);
  const ignored = ignoredFields(request.resetFields);
  const before = live ?? (emptyObject(schemaMessage) as KubeObject);
  const identity = {
    manager: request.manager,
    operation: 'Apply',
    apiVersion,
    subresource: request.subresource ?? '',
  } as const;
  const previous = owners.find((owner) => isSameOwner(owner, identity));
  const others = owners.filter((owner) => owner !== previous);
  const fields = fieldSetOf(type, applied, ignored);
  const self: FieldOwner | undefined = fields && { ...identity, time: previous?.time, fields };

  const merged = mergeTyped(type, before, applied) as KubeObject;
  const object = prune({
    merged,
    message: schemaMessage,
    apiVersion,
    previous,
    owners: self ? [...others, self] : others,
    versions,
  });
  const changed = object !== before && !deepEqual(object, before);

  const conflicts: Conflict[] = [];
  const remaining: FieldOwner[] = [];
  const changes = compareObjects(type, before, object, ignored);
  for (const owner of others) {
    let theirs = owner.apiVersion === apiVersion ? changes : undefined;
    if (!theirs) {
      const other = versions?.(owner.apiVersion);
      if (!other) continue;
      const theirType = compileMessage(other.message);
      const converted = other.convert(object);
      const problem = typedErrorText(theirType, converted, 'allowed');
      if (problem !== undefined) throw failure(500, '', `failed to convert new object: ${problem}`);
      theirs = compareObjects(theirType, other.convert(before), converted, ignored);
    }
    const conflicting = theirs.changed && intersection(owner.fields, theirs.changed);
    if (conflicting) append(conflicts, conflictsOf(owner, conflicting));
    const rest = withoutChanged(owner.fields, theirs);
    if (rest) remaining.push(rest === owner.fields ? owner : { ...owner, fields: rest });
  }
  if (self) remaining.push(changed ? { ...self, time: request.now } : self);
  return { object, changed, owners: remaining, conflicts };
}
