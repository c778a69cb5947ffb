/** Validation of a large object in the thread of large requests. */
import type { GroupKind } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { ValidationContext } from '../../machinery/validation/index.ts';
import { kindOf } from '../registry/served-resource.ts';
import { MAIN_THREAD_COST } from '../stage-thread/stage-runner.ts';
import type { Scope } from './scope.ts';
import { textsOf } from './texts-of.ts';

/** The warnings of a valid object; undefined where the main thread must validate. Throws the Status of an invalid one. */
export async function validateInThread(
  scope: Scope,
  object: KubeObject,
  { old, kind = kindOf(scope.served, object) }: { readonly old?: KubeObject; readonly kind?: GroupKind } = {},
): Promise<readonly string[] | undefined> {
  const { served, subresource, backend } = scope;
  // A strategy's own checks add to the errors of the others.
  if (served.strategy.validate || (served.custom ? !served.definition : served.validation)) return undefined;
  const texts = await textsOf(scope, object, old);
  if (!texts) return undefined;
  const { group, version, plural, namespaced } = served;
  const { cel, ...context } = backend.validation;
  const input = {
    resource: { group, version, plural, namespaced },
    errorKind: { group: kind.group, kind: kind.kind },
    name: object.metadata.name ?? '',
    subresource,
    object: texts[0]!,
    ...(old ? { old: texts[1]! } : {}),
    context,
    compilesCel: cel !== undefined,
  };
  return backend.stages.run('validate', input, served.definition && { definition: served.definition, version });
}

/** How the main thread validates: it leaves rules that take long to the thread, however small the object is. */
export const contextHere = ({ served, backend }: Scope): ValidationContext =>
  served.definition && backend.stages.runs
    ? { ...backend.validation, ruleAllowance: MAIN_THREAD_COST }
    : backend.validation;
