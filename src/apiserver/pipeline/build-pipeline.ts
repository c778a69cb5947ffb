/**
 * The pipeline with its parts, without a port: `server.ts` listens with it; tests and callers in this process call it. Each
 * step below builds one part from those before it.
 */
import { BINARY_EFFECTIVE_VERSION } from '../../api/kubernetes-version.ts';
import type { Context } from '../../kernel/index.ts';
import { featureEnabled } from '../../machinery/index.ts';
import { DEFAULT_VALIDATION_CONTEXT, type ValidationContext } from '../../machinery/validation/index.ts';
import { Aggregator, type LocalApi } from '../aggregator/index.ts';
import { noAudit } from '../audit/index.ts';
import { buildAuthentication, type Authentication } from '../authn/build.ts';
import { issuerDiscoveryEndpoints } from '../authn/discovery-endpoints.ts';
import { ImpersonationMetrics } from '../authn/impersonation-metrics.ts';
import { Impersonation } from '../authn/impersonation.ts';
import { DEFAULT_REQUEST_HEADERS } from '../authn/request-header.ts';
import { buildAuthorization } from '../authz/build.ts';
import { localAPIServiceNames } from '../bootstrap/index.ts';
import { bootstrapObjects } from '../bootstrap/post-start.ts';
import { CrdManager } from '../crd/index.ts';
import { keepDanglingConditions, PriorityAndFairness, unlimitedFlow } from '../flow-control/index.ts';
import { healthEndpoints } from '../health/health.ts';
import { operatorPages } from '../health/operator-pages.ts';
import { PostStartHooks } from '../health/post-start-hooks.ts';
import { serverChecks } from '../health/server-checks.ts';
import { celCompiler } from '../registry/cel-compiler.ts';
import { storageVersions } from '../registry/storage-versions.ts';
import { noTemplatesOf, templatesByResource } from '../registry/template-cache.ts';
import { createLoopback } from '../request/loopback.ts';
import { RequestRecords } from '../request/request-records.ts';
import type { ApiRequest, ApiResponse } from '../request/request.ts';
import { ALL_SPEED } from '../request/speed-options.ts';
import { ServiceAllocator } from '../service-allocation/index.ts';
import { StageRunner } from '../stage-thread/stage-runner.ts';
import { COMPACTION_INTERVAL_MS, runCompactor, type Snapshots } from '../storage/compactor.ts';
import { StoredServerLeases } from '../storage/server-leases.ts';
import { ownFrame, sharedFrame } from '../storage/shared-frames.ts';
import { withMediaType } from '../storage/storage-media-type.ts';
import { identityTransformer } from '../storage/transformer.ts';
import { withStorageVersions } from '../storage/versions/compatible-storage.ts';
import type { WatchCache } from '../storage/watch-cache.ts';
import { RequestSizes } from '../verbs/request-sizes.ts';
import type { Backend } from '../verbs/scope.ts';
import { WatchMetrics } from '../verbs/watch-metrics.ts';
import { YamlReader } from '../yaml-thread/yaml-reader.ts';
import { buildAdmission } from './build-admission.ts';
import { buildNetwork } from './build-network.ts';
import { buildRegistry } from './build-registry.ts';
import { builtinEndpoints } from './builtin-endpoints.ts';
import { Endpoints } from './endpoints.ts';
import { handleRequest } from './handle-request.ts';
import type { HandlerChain } from './handler-chain.ts';
import { createInsight, type Insight } from './insight.ts';
import { createMetrics } from './metrics.ts';
import type { PipelineOptions } from './pipeline-options.ts';
import { RequestDeadlines } from './request-deadlines.ts';
import { createSecurityMetrics } from './security-metrics.ts';
import { ServerAddress } from './server-address.ts';

export type { PipelineOptions } from './pipeline-options.ts';

export interface Pipeline {
  readonly chain: HandlerChain;
  handle(request: ApiRequest): Promise<ApiResponse>;
  /** Serves an API group of this process, as an APIService with a local backend would. The result removes it. */
  registerApi(api: LocalApi): () => void;
  /** What the server knows about requests and access. */
  readonly insight: Insight;
  /** Follows the store until the context ends. */
  run(): Promise<void>;
  /** Creates the server's own objects; the port is known by then. */
  bootstrap(port: number): Promise<void>;
}

export async function createPipeline(ctx: Context, given: PipelineOptions): Promise<Pipeline> {
  const options = {
    ...given,
    encryption: withStorageVersions(
      withMediaType(given.encryption ?? identityTransformer, given.storageMediaType),
      storageVersions(given.effectiveVersion),
    ),
  };
  const address = new ServerAddress(options.externalHostname ?? options.advertiseAddress);
  const speed = { ...ALL_SPEED, ...options.speed };
  const hooks = new PostStartHooks({
    flowControl: options.flowControl !== false,
    coordinatedLeaderElection: featureEnabled('CoordinatedLeaderElection', options.featureGates),
  });
  // The caches count the objects of each resource, which the width of a list depends on.
  const storage = await hooks.run(['storage-readiness', 'storage-object-count-tracker-hook'], () =>
    buildRegistry(ctx, { ...options, speed }),
  );
  const { registry, cache } = storage;
  const serviceAllocator = new ServiceAllocator(ctx, registry, options);
  const authorization = buildAuthorization(ctx, registry, options.authorization, {
    featureGates: options.featureGates,
    isOpen: (attributes) => aggregator.isOpen(attributes),
  });
  const authentication = buildAuthentication(ctx, registry, options.pki, options.authentication);
  const { webhooks, ...network } = buildNetwork(ctx, registry, address, options);
  const stages = new StageRunner(ctx);
  const admission = await hooks.run('start-apiserver-admission-initializer', () =>
    buildAdmission(
      ctx,
      { registry, ...authorization, webhooks, stages, featureGates: options.featureGates },
      options.admission,
    ),
  );
  const snapshots: Snapshots = { oldest: 0 };
  const backend: Backend = {
    ctx,
    store: options.store,
    snapshots,
    minWatchSeconds: options.minRequestTimeoutSeconds,
    ...storage,
    admission,
    authorizer: authorization.authorizer,
    rules: authorization.authorizer,
    tokens: authentication.serviceAccounts,
    bearerTokens: authentication.bearerTokens,
    validation: validationContext(options),
    serviceAllocator,
    ...network,
    yaml: new YamlReader(ctx),
    stages,
    watchMetrics: new WatchMetrics(ctx),
    requestSizes: new RequestSizes(ctx.metrics),
    templatesOf: speed.templateCache ? templatesByResource() : noTemplatesOf,
    frameOf: speed.sharedFrames ? sharedFrame : ownFrame,
    sparesUnchangedFields: speed.unchangedFields,
  };
  const handle = (request: ApiRequest): Promise<ApiResponse> => handleRequest(chain, request);
  const loopback = createLoopback(handle, ctx.signal);
  authentication.serviceAccounts.legacyTokens.setLoopback(loopback);
  const aggregator = new Aggregator(ctx, registry, {
    dialer: network.dialer,
    resolver: network.services,
    frontProxyClient: () => options.pki.frontProxyClient,
    loopback,
  });
  const records = ctx.tracer.enabled ? new RequestRecords(ctx.metrics) : undefined;
  const policyGeneration = (): number => authorization.rbac.generation;
  const recording = { records, policyGeneration };
  const chain = await buildHandlerChain(
    { ctx, hooks, backend, authentication, aggregator, address, cache, recording },
    options,
  );
  const definitions = new CrdManager(ctx, {
    registry,
    cache,
    loopback,
    webhooks,
    forget: (spec) => stages.forget(spec),
  });
  return {
    chain,
    handle,
    registerApi: (api) => aggregator.register(api),
    insight: createInsight({ authorizer: authorization.authorizer, ...recording }),
    async run() {
      try {
        await Promise.all([
          hooks.start('generic-apiserver-start-informers', () => cache.run()),
          hooks.start(['start-apiextensions-informers', 'start-apiextensions-controllers'], () => definitions.run()),
          aggregator.run(hooks),
          runCompactor(
            ctx,
            options.store,
            options.compactionIntervalMs ?? COMPACTION_INTERVAL_MS,
            options.historyMs,
            snapshots,
          ),
        ]);
      } finally {
        chain.deadlines.close();
        await chain.audit.close();
      }
    },
    async bootstrap(port) {
      address.listensOn(port);
      await hooks.run('crd-informer-synced', () => definitions.start());
      await hooks.run('start-service-ip-repair-controllers', () => serviceAllocator.start());
      await bootstrapObjects(ctx, registry, loopback, hooks, bootstrapOptions(options, port));
      if (options.flowControl !== false)
        await hooks.run('priority-and-fairness-config-consumer', () => keepDanglingConditions(ctx, registry, handle));
    },
  };
}

interface ChainDependencies {
  readonly ctx: Context;
  readonly hooks: PostStartHooks;
  readonly cache: WatchCache;
  readonly backend: Backend;
  readonly authentication: Authentication;
  readonly aggregator: Aggregator;
  readonly address: ServerAddress;
  readonly recording: Pick<HandlerChain, 'records' | 'policyGeneration'>;
}

async function buildHandlerChain(
  { ctx, hooks, cache, backend, authentication, aggregator, address, recording }: ChainDependencies,
  options: PipelineOptions,
): Promise<HandlerChain> {
  const { flowControl, requestTimeoutMs, audit = noAudit, store, pki, flags = {} } = options;
  const { gitVersion, effectiveVersion, featureGates, stopping = ctx.signal } = options;
  const { registry, authorizer } = backend;
  const checks = serverChecks({
    ctx: { ...ctx, signal: stopping },
    store,
    cache,
    hooks,
    servingCertificate: () => pki.apiserver.certificate,
    apiServices: registry.require('apiregistration.k8s.io', 'v1', 'apiservices').cache,
    localApiServices: localAPIServiceNames((group, version) => registry.hasGroupVersion(group, version)),
  });
  const serverAddress = (): string => address.toString();
  return {
    backend,
    authenticators: authentication.authenticators,
    impersonation: new Impersonation(authorizer, new ImpersonationMetrics(ctx)),
    flowControl:
      flowControl === false
        ? unlimitedFlow
        : await hooks.run('priority-and-fairness-filter', () => new PriorityAndFairness(ctx, registry, flowControl)),
    deadlines: new RequestDeadlines(ctx.clock, requestTimeoutMs),
    audit,
    ...recording,
    metrics: createMetrics(ctx),
    securityMetrics: createSecurityMetrics(ctx),
    endpoints: new Endpoints([
      ...healthEndpoints(ctx, checks),
      ...operatorPages(ctx, flags, effectiveVersion),
      ...builtinEndpoints(ctx, registry, serverAddress, {
        aggregator,
        gitVersion,
        effectiveVersion,
        featureGates,
        store,
      }),
      ...issuerDiscoveryEndpoints(authentication.serviceAccounts, serverAddress),
    ]),
    aggregator,
  };
}

const validationContext = ({
  allowPrivileged,
  featureGates,
  effectiveVersion = BINARY_EFFECTIVE_VERSION,
}: PipelineOptions): ValidationContext => ({
  allowPrivileged: allowPrivileged ?? DEFAULT_VALIDATION_CONTEXT.allowPrivileged,
  features: featureGates ?? {},
  cel: celCompiler,
  ...(effectiveVersion.minCompatibility < BINARY_EFFECTIVE_VERSION.minCompatibility
    ? { compatibility: effectiveVersion.minCompatibility }
    : {}),
});

const bootstrapOptions = (
  {
    store,
    encryption,
    advertiseAddress,
    identity,
    serviceClusterIpRange,
    featureGates,
    pki,
    authentication,
    stopping,
    endpointReconciler,
    kubernetesServiceNodePort,
  }: PipelineOptions,
  port: number,
): Parameters<typeof bootstrapObjects>[4] => ({
  leases: store.isShared ? new StoredServerLeases(store, encryption) : undefined,
  advertiseAddress,
  identity,
  featureGates,
  port,
  ...(stopping ? { stopping } : {}),
  serviceClusterIpRange,
  ...(endpointReconciler ? { endpointReconciler } : {}),
  ...(kubernetesServiceNodePort ? { kubernetesServiceNodePort } : {}),
  pki,
  requestHeaders: { ...DEFAULT_REQUEST_HEADERS, ...authentication?.requestHeaders },
});
