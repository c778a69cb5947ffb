/** What a verb gets: the request, the resource that it is for, and the parts of the server. */
import type { Store } from '../../etcd/index.ts';
import type { Context, Span } from '../../kernel/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { ValidationContext } from '../../machinery/validation/index.ts';
import type { AdmissionChain } from '../admission/admission.ts';
import type { BearerTokens } from '../authn/bearer-tokens.ts';
import type { ServiceAccountTokens } from '../authn/service-account-tokens.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import type { UnionAuthorizer } from '../authz/union.ts';
import type { Dialer, DialPolicy, KubeletConnection, ServiceResolver } from '../dial/index.ts';
import type { ObjectStore, Place } from '../registry/object-store.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Template, TemplatesOf } from '../registry/template-cache.ts';
import type { AdmissionRecord } from '../request/admission-record.ts';
import type { Negotiated } from '../request/negotiate.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { ApiRequest, UserInfo, Result } from '../request/request.ts';
import type { ServiceAllocator } from '../service-allocation/index.ts';
import type { StageRunner } from '../stage-thread/stage-runner.ts';
import type { Snapshots } from '../storage/compactor.ts';
import type { FrameOf } from '../storage/shared-frames.ts';
import type { WatchCache } from '../storage/watch-cache.ts';
import type { YamlReader } from '../yaml-thread/yaml-reader.ts';
import type { RequestSizes } from './request-sizes.ts';
import type { WatchMetrics } from './watch-metrics.ts';

/** The parts of the server that verbs work with. */
export interface Backend {
  readonly ctx: Context;
  readonly store: Store;
  readonly cache: WatchCache;
  readonly snapshots: Readonly<Snapshots>;
  /** A watch without a timeout ends after this time, or up to twice as long. */
  readonly minWatchSeconds?: number | undefined;
  readonly objects: ObjectStore;
  readonly registry: Registry;
  readonly admission: AdmissionChain;
  readonly authorizer: Authorizer;
  /** What a user may do in a namespace, for SelfSubjectRulesReview. */
  readonly rules: Pick<UnionAuthorizer, 'rulesFor'>;
  readonly tokens: ServiceAccountTokens;
  /** Every kind of token that is accepted, for TokenReview. */
  readonly bearerTokens: BearerTokens;
  readonly validation: ValidationContext;
  readonly serviceAllocator: ServiceAllocator;
  readonly kubelet: KubeletConnection;
  readonly dialer: Dialer;
  readonly dialPolicy: DialPolicy;
  readonly services: ServiceResolver;
  readonly yaml: YamlReader;
  readonly stages: StageRunner;
  readonly watchMetrics: WatchMetrics;
  readonly requestSizes: RequestSizes;
  readonly templatesOf: TemplatesOf;
  readonly frameOf: FrameOf;
  /** See unchanged-fields.ts. */
  readonly sparesUnchangedFields: boolean;
}

export interface Scope {
  readonly backend: Backend;
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly user: UserInfo;
  readonly served: ServedResource;
  readonly place: Place;
  readonly subresource: string;
  readonly negotiated: Negotiated;
  readonly warnings: string[];
  /** Audit annotations. */
  readonly annotations: Map<string, string>;
  /** Of a request that may write. */
  readonly span: Span | undefined;
  /** What admission does to it; absent where nothing is recorded. */
  readonly admission?: AdmissionRecord | undefined;
  /** Releases the request's seat of flow control: a watch does so once its initial events have been sent. */
  readonly releaseSeat: () => void;
  /** The request waited for somebody else: that is not this server's latency. */
  readonly waitedFor?: (ms: number) => void;
  /** The template of the object that is being created, where it is known. */
  template?: Template | undefined;
  /** Whether other requests run between its stages (see read-body.ts). */
  isLarge?: boolean;
  /** The stored object that an update starts from, and its JSON. */
  live?: { readonly object: KubeObject; bytes(): Uint8Array };
}

/** A verb returns at once where it has nothing to wait for: an await for every request costs. */
export type Verb = (scope: Scope) => Promise<Result> | Result;
