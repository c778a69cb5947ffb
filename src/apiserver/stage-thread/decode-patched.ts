/** Decodes the result of a patch, for the main thread and for the thread of large requests. */
import type { GroupVersionKind, Message } from '../../api/index.ts';
import { isRecord, quote } from '../../base/index.ts';
import { conform, type Growth } from '../../machinery/decode/index.ts';
import { badRequest } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { PatchRequest } from '../../machinery/patch/index.ts';

interface PatchedValue {
  readonly type: PatchRequest['type'];
  readonly kind: GroupVersionKind & {
    readonly message: Message;
    readonly custom: boolean;
    readonly conform?: ConformValue | undefined;
  };
  readonly live: KubeObject;
  /** The patched value. */
  readonly value: unknown;
  /** The part of it that has to be decoded; decoding may change it. */
  readonly changed: unknown;
  /** Counts the defaults of a custom resource. */
  readonly growth?: Growth;
}

/** Conforms a value of a custom resource, with its defaults. */
export type ConformValue = (message: Message, value: unknown, growth?: Growth) => ReturnType<typeof conform>;

interface DecodedPatch {
  readonly object: KubeObject;
  readonly strictErrors: readonly string[];
}

/** Throws a StatusError. */
export function decodePatched({ type, kind: served, live, value, changed, growth }: PatchedValue): DecodedPatch {
  if (type !== 'application/strategic-merge-patch+json' && !served.custom) checkType(served, live, changed);
  const decoded = served.conform?.(served.message, changed, growth) ?? conform(served.message, changed);
  // Upstream decodes what a patch went into with sorted keys.
  const strictErrors = decoded.strictErrors.toSorted();
  // A custom resource's validation refuses another kind, under that kind's name.
  const kind = served.custom ? decoded.object['kind'] : served.kind;
  const object = { ...decoded.object, kind, apiVersion: live.apiVersion } as unknown as KubeObject;
  object.metadata ??= {};
  if (live.metadata.managedFields && !hasManagedFields(value)) object.metadata.managedFields = [];
  return { object, strictErrors };
}

/** A patch that removes managedFields resets field tracking. */
const hasManagedFields = (result: unknown): boolean => {
  const metadata = isRecord(result) && isRecord(result['metadata']) ? result['metadata'] : {};
  return Array.isArray(metadata['managedFields']) && metadata['managedFields'].length > 0;
};

/** A patch that changes the kind gets the error of decoding that kind. */
function checkType(served: GroupVersionKind, live: KubeObject, result: unknown): void {
  if (!isRecord(result)) return;
  const { kind = served.kind, apiVersion = live.apiVersion } = result;
  if (kind === served.kind && apiVersion === live.apiVersion) return;
  throw badRequest(
    `no kind ${quote(String(kind))} is registered for version ${quote(String(apiVersion))} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
  );
}

/** Strict refuses unknown and duplicate fields. */
export const strictRefusal = (errors: readonly string[], prefix = ''): Error =>
  badRequest(`${prefix}strict decoding error: ${errors.join(', ')}`);
