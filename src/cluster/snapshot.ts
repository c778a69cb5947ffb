/** The whole state of a cluster: store, keys and time. Taking a snapshot is free; it can be saved as bytes. */
import { loadAuthority, type ClusterPki } from '../apiserver/index.ts';
import { createMemoryStore, MemoryStore, rewoundState, type MemoryState, type Store } from '../etcd/index.ts';
import { RealClock } from '../kernel/index.ts';
import type { ClusterState } from './cluster-options.ts';

interface Header {
  readonly format: 'k8ts-cluster-snapshot';
  readonly version: 1;
  /** Milliseconds since the epoch, on the cluster's clock. */
  readonly time: number;
  readonly pki: { readonly [Name in keyof ClusterPki]: Record<string, string> };
}

export class ClusterSnapshot {
  private constructor(
    readonly state: ClusterState,
    /** When it was taken, on the cluster's clock. */
    readonly time: number,
  ) {}

  /** Only a store in memory can be snapshotted. */
  static of(store: Store, pki: ClusterPki, time: number): ClusterSnapshot {
    if (!(store instanceof MemoryStore))
      throw new Error(
        'only a cluster in memory can be taken a snapshot of; `k8ts snapshot save` does it for one on disk',
      );
    return new ClusterSnapshot({ store: store.state(), pki }, time);
  }

  /** The state at an earlier revision, as far as history reaches back. */
  at(revision: number, time: number): ClusterSnapshot {
    return new ClusterSnapshot({ ...this.state, store: rewoundState(this.state.store, revision) }, time);
  }

  async toBuffer(): Promise<Buffer> {
    const header: Header = { format: 'k8ts-cluster-snapshot', version: 1, time: this.time, pki: texts(this.state.pki) };
    const store = createMemoryStore({ clock: new RealClock(), state: this.state.store });
    const pieces: Uint8Array[] = [Buffer.from(`${JSON.stringify(header)}\n`)];
    for await (const piece of store.snapshot()) pieces.push(piece);
    await store.close();
    return Buffer.concat(pieces);
  }

  static async fromBuffer(bytes: Uint8Array): Promise<ClusterSnapshot> {
    const end = bytes.indexOf(0x0a);
    let header: Header;
    try {
      header = JSON.parse(Buffer.from(bytes.subarray(0, Math.max(0, end))).toString()) as Header;
    } catch (cause) {
      throw new Error('this is not a snapshot of a cluster', { cause });
    }
    if (header.format !== 'k8ts-cluster-snapshot' || header.version !== 1)
      throw new Error('this is not a snapshot of a cluster that this version can read');
    const store = createMemoryStore({ clock: new RealClock(), snapshot: bytes.subarray(end + 1) });
    const state: MemoryState = store.state();
    await store.close();
    const pki = header.pki as unknown as ClusterPki;
    const [ca, frontProxyCa] = await Promise.all([loadAuthority(pki.ca), loadAuthority(pki.frontProxyCa)]);
    return new ClusterSnapshot({ store: state, pki: { ...pki, ca, frontProxyCa } }, header.time);
  }
}

/** Keys and certificates as PEM. */
function texts(pki: ClusterPki): Header['pki'] {
  const pair = ({ certificate, key }: { certificate: string; key: string }): Record<string, string> => ({
    certificate,
    key,
  });
  return {
    ca: pair(pki.ca),
    frontProxyCa: pair(pki.frontProxyCa),
    apiserver: pair(pki.apiserver),
    kubeletClient: pair(pki.kubeletClient),
    frontProxyClient: pair(pki.frontProxyClient),
    serviceAccount: { ...pki.serviceAccount },
  };
}
