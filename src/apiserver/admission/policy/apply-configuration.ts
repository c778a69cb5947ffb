/** Merges the apply configuration of a MutatingAdmissionPolicy into an object, like server-side apply but without managers. */
import { schema } from '../../../api/index.ts';
import { isRecord } from '../../../base/index.ts';
import { type ApplyType, compileMessage, mergeTyped, typedErrorText } from '../../../machinery/apply/index.ts';
import { serviceUnavailable } from '../../../machinery/errors/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { MatchedVersion } from '../versioned-objects.ts';

export function mergeApplyConfiguration(
  matched: MatchedVersion,
  object: KubeObject,
  configuration: Record<string, unknown>,
): unknown {
  const { kind, resource } = matched;
  const message = kind.kind === resource.kind && kind.group === resource.group ? resource.message : schema.kind(kind);
  if (!message)
    throw serviceUnavailable(
      `Resource kind ${kind.group}/${kind.version}, Kind=${kind.kind} not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.`,
    );
  const type = compileMessage(message);
  const patch = { ...configuration, apiVersion: object.apiVersion, kind: object.kind };
  const problem = typedErrorText(type, patch, 'refused');
  if (problem !== undefined)
    throw new Error(`error applying patch: failed to convert patch object to typed object: ${problem}`);
  const atomics = [...atomicsIn(type, patch, '')];
  if (atomics.length > 0)
    throw new Error(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    );
  return mergeTyped(type, object, patch);
}

/** The paths of atomic values in the configuration: they would replace the whole value, and lose what the author leaves out. */
function* atomicsIn(type: ApplyType, value: unknown, path: string): Generator<string> {
  switch (type.kind) {
    case 'scalar':
      return;
    case 'atomic':
      if (Array.isArray(value) || isRecord(value)) yield path;
      return yield* atomicsIn(type.inner, value, path);
    case 'struct':
      for (const [name, member] of entriesOf(value)) {
        const field = type.byName.get(name);
        if (field) yield* atomicsIn(field.type, member, `${path}.${name}`);
      }
      return;
    case 'map':
      return;
    case 'list':
      if (Array.isArray(value))
        for (const [index, item] of value.entries()) yield* atomicsIn(type.item, item, `${path}[${index}]`);
      return;
    case 'deduced':
      if (Array.isArray(value)) yield path;
  }
}

const entriesOf = (value: unknown): [string, unknown][] => (isRecord(value) ? Object.entries(value) : []);
