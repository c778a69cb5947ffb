import { describe, expect, it } from 'vitest';
import type { Endpoints } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { schema } from '../../api/index.ts';
import { createMemoryStore, type Store } from '../../etcd/index.ts';
import { createTestContext, type TestContext } from '../../kernel/index.ts';
import { invalid, notFound } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { encodeProtobuf } from '../../machinery/protobuf/index.ts';
import type { Loopback } from '../request/loopback.ts';
import { StoredServerLeases } from '../storage/server-leases.ts';
import { EndpointReconciler, type ServerLeases } from './endpoint-reconciler.ts';

/** An API that keeps what is written, and counts the writes. */
class Objects {
  readonly kept = new Map<string, KubeObject>();
  writes = 0;

  readonly loopback: Loopback = async <T extends KubeObject>(method: string, target: string, object?: KubeObject) => {
    const path = method === 'POST' ? `${target}/${object!.metadata.name}` : target;
    if (object) {
      this.kept.set(path, object);
      this.writes++;
    }
    const found = this.kept.get(path);
    if (!found) throw notFound({ group: '', resource: 'endpoints' }, 'kubernetes');
    return found as T;
  };

  get options(): { loopback: Loopback; existing: (object: KubeObject) => KubeObject | undefined } {
    const named = ({ kind, metadata }: KubeObject): KubeObject | undefined =>
      [...this.kept.values()].find((kept) => kept.kind === kind && kept.metadata.name === metadata.name);
    return { loopback: this.loopback, existing: named };
  }

  get addresses(): string[] {
    const endpoints = this.kept.get('/api/v1/namespaces/default/endpoints/kubernetes') as unknown as Endpoints;
    return endpoints.subsets!.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
  }

  get sliceAddresses(): string[] {
    const path = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';
    return (this.kept.get(path) as unknown as EndpointSlice).endpoints!.flatMap(({ addresses }) => addresses);
  }
}

function sharedStore(ctx: TestContext): { store: Store; leases: ServerLeases } {
  const store = createMemoryStore({ clock: ctx.clock });
  return { store, leases: new StoredServerLeases(store) };
}

describe('the endpoints of the Service kubernetes', () => {
  it('list every server that holds a lease, and drop one whose lease expires', async () => {
    const ctx = createTestContext();
    const { leases } = sharedStore(ctx);
    const api = new Objects();
    const first = new EndpointReconciler(ctx, { leases, ...api.options, address: '192.0.2.10', port: 6443 });
    const second = new EndpointReconciler(ctx, { leases, ...api.options, address: '192.0.2.9', port: 6443 });
    await first.start();
    await second.reconcile();
    expect(api.addresses).toEqual(['192.0.2.10', '192.0.2.9']);
    expect(api.sliceAddresses).toEqual(['192.0.2.10', '192.0.2.9']);
    // The second renews its lease no more.
    await ctx.clock.advance(30_000);
    expect(api.addresses).toEqual(['192.0.2.10']);
    expect(api.sliceAddresses).toEqual(['192.0.2.10']);
  });

  it('lose a server that is to end, while it still serves', async () => {
    const ctx = createTestContext();
    const { leases } = sharedStore(ctx);
    const api = new Objects();
    const stopping = new AbortController();
    const options = { leases, ...api.options, port: 6443 };
    await new EndpointReconciler(ctx, { ...options, address: '192.0.2.9', port: 6443 }).reconcile();
    await new EndpointReconciler(ctx, { ...options, address: '192.0.2.10', stopping: stopping.signal }).start();
    expect(api.addresses).toEqual(['192.0.2.10', '192.0.2.9']);
    stopping.abort();
    await ctx.clock.settle();
    expect(api.addresses).toEqual(['192.0.2.9']);
  });

  it('list an upstream server, which stores its lease as protobuf', async () => {
    const ctx = createTestContext();
    const { store, leases } = sharedStore(ctx);
    const message = schema.kind({ group: '', version: 'v1', kind: 'Endpoints' })!;
    const lease = { metadata: { generation: 7 }, subsets: [{ addresses: [{ ip: '192.0.2.1' }] }] };
    const value = encodeProtobuf(message, lease, { apiVersion: 'v1', kind: 'Endpoints' });
    await store.txn({ compare: [], success: [{ op: 'put', key: '/registry/masterleases/192.0.2.1', value }] });
    const api = new Objects();
    await new EndpointReconciler(ctx, { leases, ...api.options, address: '192.0.2.2', port: 6443 }).reconcile();
    expect(api.addresses).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  it('are written only when they change', async () => {
    const ctx = createTestContext();
    const api = new Objects();
    await new EndpointReconciler(ctx, {
      leases: sharedStore(ctx).leases,
      ...api.options,
      address: '192.0.2.1',
      port: 6443,
    }).start();
    expect(api.writes).toBe(2);
    await ctx.clock.advance(60_000);
    expect(api.writes).toBe(2);
  });

  it('need no lease where the store is not shared', async () => {
    const ctx = createTestContext();
    const api = new Objects();
    await new EndpointReconciler(ctx, { ...api.options, address: '192.0.2.1', port: 6443 }).start();
    expect(api.addresses).toEqual(['192.0.2.1']);
  });

  it('do not keep the server from serving when its address is refused', async () => {
    const ctx = createTestContext();
    const refusing: Loopback = async () => {
      throw invalid({ group: '', kind: 'Endpoints' }, 'kubernetes', []);
    };
    await new EndpointReconciler(ctx, {
      loopback: refusing,
      existing: () => undefined,
      address: '127.0.0.1',
      port: 6443,
    }).start();
    expect(ctx.logLines.join('')).toContain('Unable to reconcile the endpoints of the Service');
  });

  it('lose a server that stops', async () => {
    const ctx = createTestContext();
    const { store, leases } = sharedStore(ctx);
    const api = new Objects();
    await new EndpointReconciler(ctx, { leases, ...api.options, address: '192.0.2.1', port: 6443 }).start();
    ctx.stop();
    await ctx.clock.advance(0);
    const { kvs } = await store.range({ key: '/registry/masterleases/192.0.2.1' });
    expect(kvs).toEqual([]);
  });
});
