/**
 * The leases by which API servers that share an etcd know of each other: a key under /registry/masterleases for each, with
 * a time to live, that holds Endpoints with the server's address. Upstream's servers read and write the same keys.
 */
import type { Endpoints } from '../../api/generated/core-v1.ts';
import { prefixRange, type Store } from '../../etcd/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { readStoredObject, storedObjectBytes } from './stored-object.ts';
import { identityTransformer, type Transformer } from './transformer.ts';

const PREFIX = '/registry/masterleases/';
const LEASE_SECONDS = 15;

export class StoredServerLeases {
  readonly #store: Store;
  readonly #transformer: Transformer;
  #generation = 0;

  constructor(store: Store, transformer = identityTransformer) {
    this.#store = store;
    this.#transformer = transformer;
  }

  async renew(address: string): Promise<void> {
    const { id } = await this.#store.leaseGrant({ ttl: LEASE_SECONDS });
    const lease = {
      kind: 'Endpoints',
      apiVersion: 'v1',
      metadata: { generation: ++this.#generation },
      subsets: [{ addresses: [{ ip: address }] }],
    } as KubeObject;
    const key = PREFIX + address;
    const value = await storedObjectBytes(this.#transformer, key, lease);
    await this.#store.txn({ compare: [], success: [{ op: 'put', key, value, lease: id }] });
  }

  async addresses(): Promise<string[]> {
    const { kvs } = await this.#store.range(prefixRange(PREFIX));
    const objects = await Promise.all(kvs.map((kv) => readStoredObject(this.#transformer, kv)));
    return objects.flatMap((object) => (object as unknown as Endpoints).subsets?.[0]?.addresses?.[0]?.ip ?? []);
  }

  async remove(address: string): Promise<void> {
    await this.#store.txn({ compare: [], success: [{ op: 'delete', key: PREFIX + address }] });
  }
}
