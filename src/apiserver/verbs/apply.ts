/** Server-side apply: merges the fields that a manager applies into the object, or creates it. */
import { formatTime, fromPieces } from '../../base/index.ts';
import { applyPatch } from '../../machinery/apply/index.ts';
import { conflict } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { inSlices } from '../request/in-slices.ts';
import { writeOptions, type WriteOptions } from '../request/options.ts';
import type { Result } from '../request/request.ts';
import { completeApplied, parseConfiguration } from '../stage-thread/applied-configuration.ts';
import { checkNamespace, storeCreated } from './create.ts';
import { reportStrictErrors } from './decode-body.ts';
import { keepTimes, resetFieldsOf } from './managed-fields.ts';
import { betweenStages, noteStoredSize, readBodyOf } from './read-body.ts';
import type { Scope } from './scope.ts';
import { textsOf } from './texts-of.ts';
import { threadKind } from './thread-kind.ts';
import { checkPatchedName, updateObject } from './update-object.ts';

export async function apply(scope: Scope): Promise<Result> {
  noteStoredSize(scope);
  const options = writeOptions('PatchOptions', scope.request.query, true);
  const applied = await readApplied(scope, options);
  const { entry, created } = await updateObject(scope, {
    options,
    unconditional: true,
    compute: async (live) => keepTimes(live, await merged(scope, live, applied, options)),
    // A subresource of an object that does not exist cannot be applied.
    ...(scope.subresource === ''
      ? {
          create: async () =>
            storeCreated(scope, await newObject(scope, applied, options), { ...options, kind: 'CreateOptions' }),
        }
      : {}),
  });
  return { type: 'entry', status: created ? 201 : 200, entry };
}

export async function readConfiguration(scope: Scope, options: WriteOptions): Promise<Record<string, unknown>> {
  return parse(scope, await readBodyOf(scope), options);
}

async function parse(scope: Scope, body: Buffer, options: WriteOptions): Promise<Record<string, unknown>> {
  const text = body.toString('utf8');
  await scope.backend.yaml.parseAhead(text);
  const { value, duplicates } = parseConfiguration(text);
  reportStrictErrors(scope, duplicates, options.fieldValidation, STRICT_YAML);
  return value;
}

const STRICT_YAML = 'error strict decoding YAML: ';

/** A large configuration stays text: the thread of large requests parses and merges it. */
type Applied = Record<string, unknown> | Buffer;

async function readApplied(scope: Scope, options: WriteOptions): Promise<Applied> {
  const { served, backend } = scope;
  const body = await readBodyOf(scope);
  const checked =
    scope.isLarge && threadKind(served) ? await backend.stages.run('checkConfiguration', { body }) : undefined;
  if (!checked) return parse(scope, body, options);
  reportStrictErrors(scope, checked.duplicates, options.fieldValidation, STRICT_YAML);
  return body;
}

export async function merged(
  scope: Scope,
  live: KubeObject | undefined,
  given: Applied,
  options: WriteOptions,
): Promise<KubeObject> {
  const { served, subresource, backend } = scope;
  const now = formatTime(backend.ctx.clock.now());
  const applying = {
    manager: options.fieldManager,
    force: options.force ?? false,
    subresource,
    now,
    resetFields: resetFieldsOf(scope),
  };
  const known = threadKind(served);
  if (Buffer.isBuffer(given) && known) {
    const texts = await textsOf(scope, live);
    const input = { ...applying, body: given, kind: known.kind, ...(live ? { live: texts?.[0] ?? '' } : {}) };
    const object = texts && (await backend.stages.run('apply', input, known.custom));
    if (object) return (await inSlices(backend.ctx.clock, fromPieces(object))) as KubeObject;
  }
  const applied = Buffer.isBuffer(given) ? parseConfiguration(given.toString('utf8')).value : given;
  const { object } = applyPatch({
    ...applying,
    live,
    applied,
    kind: served,
    schemaMessage: served.message,
    mayBeMistyped: served.custom,
    ...(served.versions ? { versions: served.versions } : {}),
  });
  await betweenStages(scope);
  return completeApplied(served, applied, object, now);
}

/** An apply that creates may set no uid: no client can know it. */
async function newObject(scope: Scope, applied: Applied, options: WriteOptions): Promise<KubeObject> {
  const object = await merged(scope, undefined, applied, options);
  checkNamespace(scope, object);
  checkPatchedName(scope, object);
  const { uid } = object.metadata;
  if (uid)
    throw conflict(
      scope.served.groupResource,
      scope.place.name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  return object;
}
