/** An in-memory API server for tests: the real pipeline with a test context, called without a socket. */
import net from 'node:net';
import { createMemoryStore, type Store } from '../../etcd/index.ts';
import { createTestContext, type TestContext } from '../../kernel/index.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { splitTarget } from '../../net/http/index.ts';
import { createPipeline, type Pipeline, type PipelineOptions } from '../pipeline/build-pipeline.ts';
import { openPki } from '../pki/files.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { createLoopback } from '../request/loopback.ts';
import type { ApiResponse, UserInfo } from '../request/request.ts';
import type { Backend } from '../verbs/scope.ts';

export interface TestServer {
  readonly ctx: TestContext;
  readonly pipeline: Pipeline;
  /** The default user is a cluster admin. A string or Buffer is sent as it is, an object as JSON. */
  call(method: string, target: string, options?: CallOptions): Promise<TestAnswer>;
  stop(): Promise<void>;
}

export interface TestServerOptions extends Pick<
  PipelineOptions,
  | 'admission'
  | 'kubelet'
  | 'speed'
  | 'nodePortRange'
  | 'enableAggregatorRouting'
  | 'storageMediaType'
  | 'flags'
  | 'servesVersion'
  | 'featureGates'
  | 'effectiveVersion'
  | 'historyMs'
  | 'stopping'
  | 'minRequestTimeoutSeconds'
  | 'endpointReconciler'
  | 'kubernetesServiceNodePort'
> {
  /** Create the `default` ServiceAccount of namespaces, which pods need, as a controller does in a cluster. */
  readonly defaultServiceAccounts?: boolean;
  /** Replaces the network. */
  readonly dial?: PipelineOptions['dial'];
  /** By default a store in memory of its own. */
  readonly store?: Store;
}

/** Replaces the network: connects to the same port on loopback, whatever the address is. */
export const dialLoopback: NonNullable<PipelineOptions['dial']> = {
  open: ({ port }) => net.connect({ host: '127.0.0.1', port }),
};

export interface CallOptions {
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly user?: UserInfo;
}

export interface TestAnswer {
  readonly status: number;
  readonly body: KubeObject & Record<string, unknown>;
  readonly text: string;
  readonly warnings: readonly string[];
  readonly response: ApiResponse;
}

const ADMIN: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

export async function startTestServer({
  defaultServiceAccounts = true,
  ...options
}: TestServerOptions = {}): Promise<TestServer> {
  const ctx = createTestContext();
  const store = options.store ?? createMemoryStore({ clock: ctx.clock });
  const pki = await openPki(ctx, undefined, { dnsNames: ['localhost'], addresses: ['127.0.0.1'], signingKey: 'ec' });
  const pipeline = await createPipeline(ctx, {
    ...options,
    store,
    pki,
    advertiseAddress: '192.0.2.1',
    serviceClusterIpRange: '10.96.0.0/16',
  });
  const running = pipeline.run();
  const pending = new Set<Promise<unknown>>();
  if (defaultServiceAccounts) createDefaultServiceAccounts(pipeline, ctx, pending);
  await pipeline.bootstrap(6443);
  await Promise.all(pending);
  return {
    ctx,
    pipeline,
    async call(method, target, options = {}) {
      const text =
        options.body === undefined
          ? ''
          : typeof options.body === 'string' || Buffer.isBuffer(options.body)
            ? options.body
            : JSON.stringify(options.body);
      const response = await pipeline.handle({
        method,
        ...splitTarget(target),
        headers: {
          accept: options.accept ?? 'application/json',
          'content-type': options.contentType ?? 'application/json',
          'user-agent': 'test',
          ...options.headers,
        },
        readBody: () => Promise.resolve(Buffer.from(text)),
        user: options.user ?? ADMIN,
        remoteAddress: '127.0.0.1',
        signal: ctx.signal,
      });
      const responseText = response.body?.toString() ?? '';
      return {
        status: response.status,
        body: parse(responseText),
        text: responseText,
        warnings: [response.headers['warning'] ?? []].flat(),
        response,
      };
    },
    async stop() {
      await Promise.all(pending);
      ctx.stop();
      await store.close();
      await running;
    },
  };
}

interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** The objects of a resource in the server's watch cache, for tests that must read synchronously. */
export const cachedObjects = (
  { pipeline }: TestServer,
  { group, version, plural }: ResourceName,
  namespace = '',
): readonly KubeObject[] =>
  pipeline.chain.backend.registry
    .require(group, version, plural)
    .cache.list(namespace)
    .map(({ object }) => object);

/** Changes how a test server serves a resource. */
export function changeResource(
  { pipeline }: TestServer,
  { group, version, plural }: ResourceName,
  change: (served: ServedResource) => Partial<ServedResource>,
): void {
  const { registry } = pipeline.chain.backend;
  const served = registry.require(group, version, plural);
  registry.add({ ...served, ...change(served) });
}

/** The parts that stand between a request and its verb, for measurements of each by itself. */
export function partsOf({ pipeline }: TestServer): Pick<Backend, 'authorizer' | 'admission' | 'registry'> & {
  flowControl: Pipeline['chain']['flowControl'];
} {
  const { backend, flowControl } = pipeline.chain;
  return { ...backend, flowControl };
}

/** Replaces the controller that creates the default ServiceAccount of each namespace. */
function createDefaultServiceAccounts(pipeline: Pipeline, ctx: TestContext, pending: Set<Promise<unknown>>): void {
  const loopback = createLoopback(pipeline.handle, ctx.signal);
  const { registry } = pipeline.chain.backend;
  registry.require('', 'v1', 'namespaces').cache.watch({
    scope: '',
    deliver: ({ type, entry }) => {
      if (type !== 'ADDED') return;
      const account: KubeObject = {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'default', namespace: entry.name },
      };
      const created = loopback('POST', `/api/v1/namespaces/${entry.name}/serviceaccounts`, account)
        .catch((error: unknown) =>
          ctx.logger.error(error, 'Failed to create the default ServiceAccount', { namespace: entry.name }),
        )
        .finally(() => pending.delete(created));
      pending.add(created);
    },
  });
}

function parse(text: string): TestAnswer['body'] {
  try {
    return JSON.parse(text) as TestAnswer['body'];
  } catch {
    return {} as TestAnswer['body'];
  }
}
