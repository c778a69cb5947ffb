import type { KubeObject } from '../../machinery/object.ts';
import type { GroupVersionKind } from '../../api/schema.ts';
import type { Scope } from '../scope.ts';
import type { AdmissionAttributes, Operation } from './admission.ts';
import { Reinvocation } from './reinvocation.ts';

export interface AdmittedRequest {
  readonly operation: Operation;
  readonly object?: KubeObject;
  readonly oldObject?: KubeObject;
  readonly name: string;
  readonly options: KubeObject | undefined;
  readonly dryRun: boolean;
  /** When the body is of another kind than the resource (Scale, Binding, Eviction). */
  readonly kind?: GroupVersionKind;
}

export function attributesOf(scope: Scope, admitted: AdmittedRequest): AdmissionAttributes {
  const { served } = scope;
  return {
    operation: admitted.operation,
    served,
    groupResource: served.groupResource,
    kind: admitted.kind ?? served,
    subresource: scope.subresource,
    namespace: scope.place.namespace,
    name: admitted.name,
    object: admitted.object,
    oldObject: admitted.oldObject,
    user: scope.user,
    dryRun: admitted.dryRun,
    options: admitted.options,
    registry: scope.backend.registry,
    reinvocation: new Reinvocation(),
    // Made on demand by the transport, for those that call out.
    get signal() {
      return scope.request.signal;
    },
    warn: (text) => scope.warnings.push(text),
    annotate: (key, value) => scope.annotations.set(key, value),
  };
}
