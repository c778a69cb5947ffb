/** The admission attributes of a request that the pipeline serves. */
import type { GroupVersionKind } from '../../api/index.ts';
import type { Span } from '../../kernel/index.ts';
import type { GroupResource } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { AdmissionRecord } from '../request/admission-record.ts';
import type { ApiRequest, UserInfo } from '../request/request.ts';
import type { AdmissionAttributes, Operation } from './admission.ts';
import { ReinvocationContext } from './reinvocation.ts';

/** What admission needs of a request that is being served. */
interface AdmittedScope {
  readonly request: Pick<ApiRequest, 'signal'> & Partial<Pick<ApiRequest, 'method'>>;
  readonly served: ServedResource;
  readonly place: { readonly namespace: string };
  readonly subresource: string;
  readonly user: UserInfo;
  readonly warnings: string[];
  readonly annotations: Map<string, string>;
  readonly span?: Span | undefined;
  readonly admission?: AdmissionRecord | undefined;
  readonly waitedFor?: (ms: number) => void;
  readonly backend: { readonly registry: Registry };
}

export interface AdmittedRequest {
  readonly operation: Operation;
  readonly object?: KubeObject;
  readonly oldObject?: KubeObject;
  readonly name: string;
  readonly options: KubeObject | undefined;
  readonly dryRun: boolean;
  /** Set when the body has another kind than the resource (Scale, Binding, Eviction). */
  readonly kind?: GroupVersionKind;
}

export const attributesOf = (scope: AdmittedScope, admitted: AdmittedRequest): AdmissionAttributes =>
  new RequestAttributes(scope, admitted);

class RequestAttributes implements AdmissionAttributes {
  readonly operation: Operation;
  readonly served: ServedResource;
  readonly groupResource: GroupResource;
  readonly kind: GroupVersionKind;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly user: UserInfo;
  readonly method: string;
  readonly dryRun: boolean;
  readonly span: Span | undefined;
  readonly record: AdmissionRecord | undefined;
  readonly options: KubeObject | undefined;
  readonly registry: Registry;
  readonly reinvocation = new ReinvocationContext();
  hasWaited = false;
  readonly #scope: AdmittedScope;

  constructor(scope: AdmittedScope, admitted: AdmittedRequest) {
    this.#scope = scope;
    const { served } = scope;
    this.operation = admitted.operation;
    this.served = served;
    this.groupResource = served.groupResource;
    this.kind = admitted.kind ?? served;
    this.subresource = scope.subresource;
    this.namespace = scope.place.namespace;
    this.name = admitted.name;
    this.object = admitted.object;
    this.oldObject = admitted.oldObject;
    this.user = scope.user;
    this.method = scope.request.method ?? '';
    this.dryRun = admitted.dryRun;
    this.span = scope.span;
    this.record = scope.admission;
    this.options = admitted.options;
    this.registry = scope.backend.registry;
  }

  /** A getter: the transport creates the signal on demand, and only plugins that call out need it. */
  get signal(): AbortSignal {
    return this.#scope.request.signal;
  }

  warn(text: string): void {
    this.#scope.warnings.push(text);
  }

  annotate(key: string, value: string): void {
    this.#scope.annotations.set(key, value);
  }

  waitedFor(ms: number): void {
    this.hasWaited = true;
    this.#scope.waitedFor?.(ms);
  }
}
