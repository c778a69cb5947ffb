/**
 * The leases by which API servers that share an etcd know of each other: a key under /registry/masterleases for each, with
 * a time to live, that holds Endpoints with the server's address. Upstream's servers read and write the same keys.
 */
import type { Endpoints } from '../../api/generated/core-v1.ts';
import { prefixRange, type Store } from '../../etcd/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { decodeStored } from './decode-stored.ts';
import { encodeForStorage } from './encode-for-storage.ts';
import { parseStored } from './parse-stored.ts';
import { identityTransformer } from './transformer.ts';

const PREFIX = '/registry/masterleases/';
const LEASE_SECONDS = 15;

export class StoredServerLeases {
  readonly #store: Store;
  #generation = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  async renew(address: string): Promise<void> {
    const { id } = await this.#store.leaseGrant({ ttl: LEASE_SECONDS });
    const lease = {
      kind: 'Endpoints',
      apiVersion: 'v1',
      metadata: { generation: ++this.#generation },
      subsets: [{ addresses: [{ ip: address }] }],
    } as KubeObject;
    const put = { op: 'put', key: PREFIX + address, value: encodeForStorage(lease), lease: id } as const;
    await this.#store.txn({ compare: [], success: [put] });
  }

  async addresses(): Promise<string[]> {
    const { kvs } = await this.#store.range(prefixRange(PREFIX));
    return kvs.flatMap((kv) => {
      const { value, object = parseStored(Buffer.from(value)) } = decodeStored(identityTransformer, kv);
      const ip = (object as unknown as Endpoints).subsets?.[0]?.addresses?.[0]?.ip;
      return ip ? [ip] : [];
    });
  }

  async remove(address: string): Promise<void> {
    await this.#store.txn({ compare: [], success: [{ op: 'delete', key: PREFIX + address }] });
  }
}
