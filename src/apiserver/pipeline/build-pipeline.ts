/** The pipeline with everything it needs, without a port: what `server.ts` listens with, and what tests and callers in this process use. */
import { schema, type Resource } from '../../api/index.ts';
import type { Store } from '../../etcd/index.ts';
import { unlessAborted, type Context } from '../../kernel/index.ts';
import { DEFAULT_VALIDATION_CONTEXT } from '../../machinery/validation/index.ts';
import { AdmissionMetrics } from '../admission/admission-metrics.ts';
import { AdmissionChain } from '../admission/admission.ts';
import { admissionPlugins, type AdmissionOptions } from '../admission/plugins.ts';
import { Aggregator } from '../aggregator/index.ts';
import { noAudit, type AuditLog } from '../audit/index.ts';
import { buildAuthentication, type AuthenticationOptions } from '../authn/build.ts';
import { issuerDiscoveryEndpoints } from '../authn/discovery-endpoints.ts';
import { Impersonation } from '../authn/impersonation.ts';
import { DEFAULT_REQUEST_HEADERS } from '../authn/request-header.ts';
import { buildAuthorization, type AuthorizerConfig } from '../authz/build.ts';
import { escalationCheck } from '../authz/escalation.ts';
import { bootstrapObjects } from '../bootstrap/post-start.ts';
import { CrdManager } from '../crd/index.ts';
import {
  Dialer,
  DialPolicy,
  ServiceResolver,
  type DialerOptions,
  type DialPolicyOptions,
  type SimulatedNetwork,
} from '../dial/index.ts';
import {
  keepDanglingConditions,
  PriorityAndFairness,
  unlimitedFlow,
  type PriorityAndFairnessOptions,
} from '../flow-control/index.ts';
import { etcdChecks } from '../health/etcd-checks.ts';
import { healthEndpoints } from '../health/health.ts';
import type { ServerKeys } from '../pki/files.ts';
import { celCompiler } from '../registry/cel-compiler.ts';
import { builtinServed, builtinStoredKinds, Registry } from '../registry/registry.ts';
import type { ServedResource, StoredKind } from '../registry/served-resource.ts';
import { reviewHandlers } from '../reviews/index.ts';
import { ServiceAllocator } from '../service-allocation/index.ts';
import { EventLeases } from '../storage/event-leases.ts';
import { ObjectStore } from '../storage/object-store.ts';
import { ResourceCache } from '../storage/resource-cache.ts';
import { identityTransformer, type Transformer } from '../storage/transformer.ts';
import { WatchCache } from '../storage/watch-cache.ts';
import { KubeletClient, unstoredHandlers, type KubeletClientOptions } from '../subresources/index.ts';
import { WebhookClients } from '../webhook-client/index.ts';
import { YamlReader } from '../yaml-thread/yaml-reader.ts';
import { builtinEndpoints } from './builtin-endpoints.ts';
import { Endpoints } from './endpoints.ts';
import { handleRequest, type Door } from './handle-request.ts';
import { createLoopback } from './loopback.ts';
import { createMetrics } from './metrics.ts';
import { RequestDeadlines } from './request-deadlines.ts';
import type { ApiRequest, ApiResponse } from './request.ts';
import type { Backend } from './scope.ts';
import { createSecurityMetrics } from './security-metrics.ts';

export interface PipelineOptions {
  readonly store: Store;
  readonly pki: ServerKeys;
  readonly advertiseAddress: string;
  /** The host in the URLs that the server tells of itself; the advertised address without it. */
  readonly externalHostname?: string;
  readonly serviceClusterIpRange: string;
  readonly nodePortRange?: string;
  /** How long Events are kept; an hour without it. */
  readonly eventTtlSeconds?: number;
  /** Feature gates that are not at their defaults. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Whether privileged containers are valid; they are without it. */
  readonly allowPrivileged?: boolean;
  /** Which built-in versions are served; all without it. */
  readonly servesVersion?: (group: string, version: string) => boolean;
  readonly kubelet?: Pick<KubeletClientOptions, 'ca' | 'preferredAddressTypes' | 'connectToNode'>;
  /** How connections are opened, and what is known about addresses besides the API's objects. */
  readonly dial?: DialerOptions & SimulatedNetwork & Pick<DialPolicyOptions, 'localAddresses'>;
  readonly admission?: Omit<AdmissionOptions, 'authorizer' | 'webhooks'>;
  readonly authentication?: AuthenticationOptions;
  readonly audit?: AuditLog;
  /** Priority and fairness; `false` lets every request run at once. */
  readonly flowControl?: PriorityAndFairnessOptions | false;
  /** How long a request that is not long-running may take; a minute without it. */
  readonly requestTimeoutMs?: number;
  /** Encryption at rest; without it objects are stored in the clear. */
  readonly encryption?: Transformer;
  /** The chain of authorizers; Node and RBAC without it. */
  readonly authorization?: readonly AuthorizerConfig[];
}

export interface Pipeline {
  readonly door: Door;
  handle(request: ApiRequest): Promise<ApiResponse>;
  /** Follows the store until the context ends. */
  run(): Promise<void>;
  /** Makes the server's own objects; the port is known by then. */
  bootstrap(port: number): Promise<void>;
}

/** On besides upstream's defaults, as installers have it: kubelets are held to what is theirs. */
const extraPlugins = (disabled: readonly string[] = []): string[] =>
  ['NodeRestriction'].filter((name) => !disabled.includes(name));

export async function createPipeline(ctx: Context, options: PipelineOptions): Promise<Pipeline> {
  const transformer = options.encryption ?? identityTransformer;
  const cache = new WatchCache(ctx, options.store, transformer);
  const kinds = builtinStoredKinds(schema);
  // An etcd that does not answer must not keep a start that was given up.
  await unlessAborted(ctx.signal, cache.load([...new Set(kinds.values())]));

  const objects = new ObjectStore(options.store, cache, transformer, new EventLeases(options.store, ctx.clock));
  const registry = new Registry(objects);
  for (const resource of schema.resources) {
    if (options.servesVersion?.(resource.group, resource.version) ?? true)
      registry.add(servedBuiltin(resource, kinds, cache, options.eventTtlSeconds));
  }

  const serviceAllocator = new ServiceAllocator(ctx, registry, options);
  serviceAllocator.start();

  const { authorizer, rbac } = buildAuthorization(ctx, registry, options.authorization);
  const { authenticators, bearerTokens, serviceAccounts } = buildAuthentication(
    ctx,
    registry,
    options.pki,
    options.authentication,
  );
  let port = 0;
  const { advertiseAddress, serviceClusterIpRange } = options;
  const dialer = new Dialer(ctx.clock, options.dial);
  const dialPolicy = new DialPolicy(registry, {
    ...options.dial,
    advertiseAddress,
    serviceClusterIpRange,
    port: () => port || undefined,
  });
  const services = new ServiceResolver(registry, ctx.random.fork('service-resolver'), dialPolicy);
  const webhooks = new WebhookClients(ctx, { dialer, policy: dialPolicy, resolver: services });
  const backend: Backend = {
    ctx,
    store: options.store,
    cache,
    objects,
    registry,
    admission: new AdmissionChain(
      [
        ...admissionPlugins(ctx, registry, {
          enable: extraPlugins(options.admission?.disable),
          ...options.admission,
          authorizer,
          webhooks,
        }),
        escalationCheck(rbac, authorizer),
      ],
      new AdmissionMetrics(ctx),
    ),
    authorizer,
    rules: authorizer,
    tokens: serviceAccounts,
    bearerTokens,
    validation: {
      allowPrivileged: options.allowPrivileged ?? DEFAULT_VALIDATION_CONTEXT.allowPrivileged,
      features: options.featureGates ?? {},
      cel: celCompiler,
    },
    serviceAllocator,
    kubelet: new KubeletClient(registry, dialPolicy, { ...options.pki.kubeletClient, ...options.kubelet }),
    dialer,
    dialPolicy,
    services,
    yaml: new YamlReader(ctx),
  };
  const loopback = createLoopback((request) => handle(request), ctx.signal);
  const aggregator = new Aggregator(ctx, registry, {
    dialer,
    resolver: services,
    frontProxyClient: options.pki.frontProxyClient,
    loopback,
  });
  serviceAccounts.legacyTokens.setLoopback(loopback);
  const serverAddress = (): string => `${options.externalHostname ?? options.advertiseAddress}:${port}`;
  const door: Door = {
    backend,
    authenticators,
    impersonation: new Impersonation(authorizer),
    flowControl:
      options.flowControl === false ? unlimitedFlow : new PriorityAndFairness(ctx, registry, options.flowControl),
    deadlines: new RequestDeadlines(ctx.clock, options.requestTimeoutMs),
    audit: options.audit ?? noAudit,
    metrics: createMetrics(ctx),
    securityMetrics: createSecurityMetrics(ctx),
    endpoints: new Endpoints([
      ...healthEndpoints(ctx, etcdChecks(ctx.clock, options.store)),
      ...builtinEndpoints(ctx, registry, serverAddress, aggregator),
      ...issuerDiscoveryEndpoints(serviceAccounts, serverAddress),
    ]),
    aggregator,
  };
  const handle = (request: ApiRequest): Promise<ApiResponse> => handleRequest(door, request);
  const definitions = new CrdManager(ctx, { registry, cache, loopback, webhooks });
  return {
    door,
    handle,
    async run() {
      try {
        await Promise.all([cache.run(), definitions.run(), aggregator.run()]);
      } finally {
        door.deadlines.close();
        await door.audit.close();
      }
    },
    async bootstrap(securePort) {
      port = securePort;
      await definitions.start();
      await serviceAllocator.repair();
      await bootstrapObjects(ctx, registry, loopback, {
        advertiseAddress: options.advertiseAddress,
        port,
        serviceClusterIpRange: options.serviceClusterIpRange,
        clientCa: options.pki.ca.certificate,
        requestHeaderCa: options.pki.frontProxyCa.certificate,
        requestHeaders: { ...DEFAULT_REQUEST_HEADERS, ...options.authentication?.requestHeaders },
      });
      if (options.flowControl !== false) keepDanglingConditions(ctx, registry, handle);
    },
  };
}

function servedBuiltin(
  resource: Resource,
  kinds: ReadonlyMap<Resource, StoredKind>,
  cache: WatchCache,
  eventTtlSeconds: number | undefined,
): ServedResource {
  const stored = kinds.get(resource) ?? {
    prefix: `/none/${resource.plural}/`,
    namespaced: resource.namespaced,
    apiVersion: '',
    kind: resource.kind,
    fieldsOf: () => ({}),
  };
  const resourceCache = kinds.has(resource) ? cache.cacheOf(stored.prefix) : new ResourceCache(stored, 0);
  const path = `${resource.group}/${resource.plural}`;
  const handlers = reviewHandlers[path] ?? unstoredHandlers[path];
  const served = builtinServed(resource, stored, resourceCache);
  const strategy =
    served.strategy.ttlSeconds && eventTtlSeconds
      ? { ...served.strategy, ttlSeconds: eventTtlSeconds }
      : served.strategy;
  return { ...served, strategy, ...(handlers ? { handlers } : {}) };
}
