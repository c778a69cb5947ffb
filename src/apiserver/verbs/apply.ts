/** Server-side apply: merges the fields that a manager applies into the object, or creates it. */
import { apiVersionOf } from '../../api/index.ts';
import { cloneJson, formatTime, isRecord } from '../../base/index.ts';
import { applyPatch } from '../../machinery/apply/index.ts';
import { conform, parseYaml } from '../../machinery/decode/index.ts';
import { applyDefaults } from '../../machinery/defaulting/index.ts';
import { badRequest, conflict, failure, isStatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { writeOptions, type WriteOptions } from '../request/options.ts';
import type { Result } from '../request/request.ts';
import { checkNamespace, storeCreated } from './create.ts';
import { reportStrictErrors } from './decode-body.ts';
import { keepTimes, resetFieldsOf } from './managed-fields.ts';
import { betweenStages, readBodyOf } from './read-body.ts';
import type { Scope } from './scope.ts';
import { checkPatchedName, updateObject } from './update-object.ts';

export async function apply(scope: Scope): Promise<Result> {
  const options = writeOptions('PatchOptions', scope.request.query, true);
  const applied = await readConfiguration(scope, options);
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
  const text = (await readBodyOf(scope)).toString('utf8');
  await scope.backend.yaml.parseAhead(text);
  const { value, duplicateKeys } = decodingYaml(() => parseYaml(text));
  if (value === null) return {};
  if (!isRecord(value)) {
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${kindWord(value)} into Go value of type map[string]interface {}`,
    );
  }
  const duplicates =
    duplicateKeys
      ?.split('\n')
      .slice(1)
      .map((line) => line.trim()) ?? [];
  reportStrictErrors(scope, duplicates, options.fieldValidation, 'error strict decoding YAML: ');
  return value;
}

function decodingYaml<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isStatusError(error)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
}

function kindWord(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

export async function merged(
  scope: Scope,
  live: KubeObject | undefined,
  applied: Record<string, unknown>,
  options: WriteOptions,
): Promise<KubeObject> {
  const { served, subresource, backend } = scope;
  const { object } = applyPatch({
    live,
    applied,
    manager: options.fieldManager,
    force: options.force ?? false,
    kind: served,
    schemaMessage: served.message,
    subresource,
    now: formatTime(backend.ctx.clock.now()),
    resetFields: resetFieldsOf(scope),
    ...(served.versions ? { versions: served.versions } : {}),
  });
  await betweenStages(scope);
  const decoded = converting(scope, applied, () => (served.conform ?? conform)(served.message, cloneJson(object)));
  const result = { ...decoded.object, kind: served.kind, apiVersion: object.apiVersion } as unknown as KubeObject;
  result.metadata ??= {};
  return applyDefaults(served, result, { now: formatTime(scope.backend.ctx.clock.now()) });
}

/** Typed merging accepts some values that their fields do not. */
function converting<T>({ served }: Scope, applied: Record<string, unknown>, convert: () => T): T {
  try {
    return convert();
  } catch (error) {
    if (!isStatusError(error)) throw error;
    const kind = `${apiVersionOf(served)}, Kind=${served.kind}`;
    const { namespace, name } = (isRecord(applied['metadata']) ? applied['metadata'] : {}) as {
      namespace?: string;
      name?: string;
    };
    throw failure(
      500,
      '',
      `failed to convert new object (${namespace ?? ''}/${name ?? ''}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: ${error.message}`,
    );
  }
}

/** An apply that creates may set no uid: no client can know it. */
async function newObject(scope: Scope, applied: Record<string, unknown>, options: WriteOptions): Promise<KubeObject> {
  const object = await merged(scope, undefined, applied, options);
  checkPatchedName(scope, object);
  checkNamespace(scope, object);
  const { uid } = object.metadata;
  if (uid)
    throw conflict(
      scope.served.groupResource,
      scope.place.name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  return object;
}
