/** An API server in memory for tests: the real pipeline on a test context, called without a socket. */
import net from 'node:net';
import { createMemoryStore } from '../../etcd/index.ts';
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
  /** As cluster admin unless another user is given; a string body is sent as it is, an object as JSON. */
  call(method: string, target: string, options?: CallOptions): Promise<TestAnswer>;
  stop(): Promise<void>;
}

export interface TestServerOptions {
  /** Whether namespaces get the `default` ServiceAccount that a controller makes in a cluster; pods need it. */
  readonly defaultServiceAccounts?: boolean;
  /** Which admission plugins are on, and how they are configured. */
  readonly admission?: PipelineOptions['admission'];
  /** How connections are opened: tests stand in for the network. */
  readonly dial?: PipelineOptions['dial'];
  readonly kubelet?: PipelineOptions['kubelet'];
  readonly speed?: PipelineOptions['speed'];
}

/** In the place of the network: whatever address an object names, the connection goes to the same port on loopback. */
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

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const ctx = createTestContext();
  const store = createMemoryStore({ clock: ctx.clock });
  const pki = await openPki(ctx, undefined, { dnsNames: ['localhost'], addresses: ['127.0.0.1'] });
  const { admission, dial, kubelet, speed } = options;
  const pipeline = await createPipeline(ctx, {
    store,
    pki,
    advertiseAddress: '192.0.2.1',
    serviceClusterIpRange: '10.96.0.0/16',
    ...(admission ? { admission } : {}),
    ...(dial ? { dial } : {}),
    ...(kubelet ? { kubelet } : {}),
    ...(speed ? { speed } : {}),
  });
  const running = pipeline.run();
  const pending = new Set<Promise<unknown>>();
  if (options.defaultServiceAccounts ?? true) giveDefaultServiceAccounts(pipeline, ctx, pending);
  await pipeline.bootstrap(6443);
  await Promise.all(pending);
  return {
    ctx,
    pipeline,
    async call(method, target, options = {}) {
      const text =
        options.body === undefined
          ? ''
          : typeof options.body === 'string'
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
      const answered = response.body?.toString() ?? '';
      return {
        status: response.status,
        body: parse(answered),
        text: answered,
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

/** Stands in for the controller that gives every namespace its default account. */
function giveDefaultServiceAccounts(pipeline: Pipeline, ctx: TestContext, pending: Set<Promise<unknown>>): void {
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
      const made = loopback('POST', `/api/v1/namespaces/${entry.name}/serviceaccounts`, account)
        .catch((error: unknown) => ctx.logger.error(error, 'no default ServiceAccount', { namespace: entry.name }))
        .finally(() => pending.delete(made));
      pending.add(made);
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
