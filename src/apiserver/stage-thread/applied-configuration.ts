/** The pure steps of server-side apply, for the main thread and for the thread of large requests. */
import type { GroupVersionKind, Message } from '../../api/index.ts';
import { cloneJson, isRecord } from '../../base/index.ts';
import { conform, Growth, parseYaml } from '../../machinery/decode/index.ts';
import { applyDefaults } from '../../machinery/defaulting/index.ts';
import { badRequest, failure, isStatusError, isTooLarge } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { restoredIntegers, restoreError } from '../../machinery/patch/index.ts';
import type { ConformValue } from './decode-patched.ts';

export interface Configuration {
  readonly value: Record<string, unknown>;
  /** The strict errors of the text. */
  readonly duplicates: readonly string[];
}

/** Throws a StatusError. */
export function parseConfiguration(text: string): Configuration {
  const { value, duplicateKeys } = decodingYaml(() => parseYaml(text));
  if (value === null) return { value: {}, duplicates: [] };
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
  return { value, duplicates };
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

type AppliedKind = GroupVersionKind & { readonly message: Message; readonly conformApplied?: ConformValue | undefined };

/** The merged object in canonical form, with its defaults. */
export function completeApplied(
  kind: AppliedKind,
  applied: Readonly<Record<string, unknown>>,
  object: KubeObject,
  now: string,
): KubeObject {
  const growth = new Growth();
  const decoded = kind.conformApplied
    ? converting(kind, applied, () => kind.conformApplied!(kind.message, cloneJson(object), growth))
    : converting(kind, applied, () => convertUnstructured(kind.message, object));
  const result = { ...decoded.object, kind: kind.kind, apiVersion: object.apiVersion } as unknown as KubeObject;
  result.metadata ??= {};
  return applyDefaults(kind, result, { now, growth });
}

/** As upstream converts maps to types: without JSON in between, so with other errors than those of a body. */
function convertUnstructured(message: Message, object: KubeObject): ReturnType<typeof conform> {
  const error = restoreError(message, object, undefined);
  if (error !== undefined) throw badRequest(error);
  return conform(message, cloneJson(restoredIntegers(message, object, undefined)));
}

/** What typed merging lets pass may still be no value of its field. */
function converting<T>(gvk: GroupVersionKind, applied: Readonly<Record<string, unknown>>, convert: () => T): T {
  try {
    return convert();
  } catch (error) {
    if (!isStatusError(error) || isTooLarge(error)) throw error;
    const kind = `${gvk.group}/${gvk.version}, Kind=${gvk.kind}`;
    // Types with a form of their own are decoded alone, without the struct that they are in.
    const why = error.message
      .replace(/into Go struct field \S+ of type/, 'into Go value of type')
      .replace(/^illegal base64/, 'error decoding from json: $&');
    const { namespace, name } = (isRecord(applied['metadata']) ? applied['metadata'] : {}) as {
      namespace?: string;
      name?: string;
    };
    throw failure(
      500,
      '',
      `failed to convert new object (${namespace ?? ''}/${name ?? ''}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: ${why}`,
    );
  }
}
