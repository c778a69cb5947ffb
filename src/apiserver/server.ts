/** Puts the API server together: store, watch cache, registry, the chain of checks, and the port it listens on. */
import { schema, type Resource } from '../api/index.ts';
import type { Store } from '../etcd/index.ts';
import type { Context } from '../kernel/index.ts';
import { RunGroup } from '../kernel/index.ts';
import { DEFAULT_VALIDATION_CONTEXT } from '../machinery/validation/index.ts';
import { AdmissionChain } from './admission/admission.ts';
import { admissionPlugins } from './admission/plugins.ts';
import { noAudit } from './audit/audit.ts';
import { anonymousAuthenticator } from './authn/anonymous.ts';
import { ClientCertificateAuthenticator } from './authn/client-certificate.ts';
import { ServiceAccountTokens } from './authn/service-account-tokens.ts';
import { RbacAuthorizer } from './authz/rbac.ts';
import { mastersAuthorizer, unionAuthorizer } from './authz/union.ts';
import { builtinEndpoints } from './builtin-endpoints.ts';
import { Endpoints } from './endpoints.ts';
import { unlimitedFlow } from './flow-control/flow-control.ts';
import { handleRequest, type Door } from './handle-request.ts';
import { createLoopback } from './loopback.ts';
import { createMetrics } from './metrics.ts';
import type { ClusterPki } from './pki/files.ts';
import { builtinServed, builtinStoredKinds, Registry } from './registry/registry.ts';
import type { StoredKind } from './registry/served-resource.ts';
import { reviewHandlers } from './reviews/index.ts';
import type { ApiRequest, ApiResponse } from './request.ts';
import type { Backend } from './scope.ts';
import { bootstrapObjects } from './bootstrap/post-start.ts';
import { ServiceAllocator } from './service-allocation/index.ts';
import { EventLeases } from './storage/event-leases.ts';
import { ObjectStore } from './storage/object-store.ts';
import { ResourceCache } from './storage/resource-cache.ts';
import { identityTransformer } from './storage/transformer.ts';
import { WatchCache } from './storage/watch-cache.ts';
import { listen, type Transport } from './transport/serve.ts';

export interface ApiServerOptions {
  readonly store: Store;
  readonly pki: ClusterPki;
  readonly host: string;
  readonly port: number;
  readonly advertiseAddress: string;
  readonly serviceClusterIpRange: string;
  readonly maxBodyBytes?: number;
}

export interface ApiServer {
  readonly port: number;
  readonly door: Door;
  /** The pipeline without a socket: what callers in this process use. */
  handle(request: ApiRequest): Promise<ApiResponse>;
  /** Resolves when the server has ended. */
  readonly finished: Promise<void>;
}

const ISSUER = 'https://kubernetes.default.svc.cluster.local';
const MAX_BODY_BYTES = 3 * 1024 * 1024;
const SHUTDOWN_GRACE_MS = 2000;

/** Resolves when the server answers; it ends with the context. */
export async function startApiServer(ctx: Context, options: ApiServerOptions): Promise<ApiServer> {
  const group = new RunGroup(ctx);
  const cache = new WatchCache(ctx, options.store, identityTransformer);
  const kinds = builtinStoredKinds(schema);
  await cache.load([...new Set(kinds.values())]);
  group.start('watch-cache', () => cache.run());

  const objects = new ObjectStore(options.store, cache, identityTransformer, new EventLeases(options.store, ctx.clock));
  const registry = new Registry(objects);
  for (const resource of schema.resources) registerBuiltin(registry, resource, kinds, cache);

  const serviceAllocator = new ServiceAllocator(ctx, registry, options);
  await serviceAllocator.start();

  const rbac = new RbacAuthorizer(registry);
  const authorizer = unionAuthorizer([mastersAuthorizer, rbac]);
  const tokens = new ServiceAccountTokens(
    ctx,
    registry,
    { privateKey: options.pki.serviceAccount.privateKey, publicKeys: [options.pki.serviceAccount.publicKey] },
    ISSUER,
    [ISSUER],
  );
  const backend: Backend = {
    ctx,
    store: options.store,
    cache,
    objects,
    registry,
    admission: new AdmissionChain(admissionPlugins(ctx, registry)),
    authorizer,
    rules: rbac,
    tokens,
    validation: DEFAULT_VALIDATION_CONTEXT,
    serviceAllocator,
  };
  let port = options.port;
  const door: Door = {
    backend,
    authenticators: [new ClientCertificateAuthenticator(ctx.clock, () => options.pki.ca.certificate), tokens, anonymousAuthenticator],
    flowControl: unlimitedFlow,
    audit: noAudit,
    metrics: createMetrics(ctx),
    endpoints: new Endpoints(builtinEndpoints(ctx, registry, () => `${options.advertiseAddress}:${port}`)),
  };
  const handle = (request: ApiRequest): Promise<ApiResponse> => handleRequest(door, request);
  const transport = await listen(
    ctx,
    {
      host: options.host,
      port: options.port,
      maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
      tls: { key: options.pki.apiserver.key, cert: options.pki.apiserver.certificate, clientCa: options.pki.ca.certificate + options.pki.frontProxyCa.certificate },
    },
    handle,
  );
  port = transport.port;
  await bootstrapObjects(ctx, registry, createLoopback(handle, ctx.signal), {
    advertiseAddress: options.advertiseAddress,
    port: transport.port,
    serviceClusterIpRange: options.serviceClusterIpRange,
    clientCa: options.pki.ca.certificate,
    requestHeaderCa: options.pki.frontProxyCa.certificate,
  });
  group.start('transport', () => untilAborted(ctx, transport));
  return { port: transport.port, door, handle, finished: group.wait() };
}

async function untilAborted(ctx: Context, transport: Transport): Promise<void> {
  await new Promise<void>((resolve) => (ctx.signal.aborted ? resolve() : ctx.signal.addEventListener('abort', () => resolve(), { once: true })));
  await transport.close(SHUTDOWN_GRACE_MS);
}

function registerBuiltin(registry: Registry, resource: Resource, kinds: ReadonlyMap<Resource, StoredKind>, cache: WatchCache): void {
  const stored = kinds.get(resource) ?? { prefix: `/none/${resource.plural}/`, namespaced: resource.namespaced, apiVersion: '', kind: resource.kind, fieldsOf: () => ({}) };
  const resourceCache = kinds.has(resource) ? cache.cacheOf(stored.prefix) : new ResourceCache(stored, 0);
  const handlers = reviewHandlers[`${resource.group}/${resource.plural}`];
  registry.add({ ...builtinServed(resource, stored, resourceCache), ...(handlers ? { handlers } : {}) });
}
