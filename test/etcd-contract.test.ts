import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeContract } from '../src/etcd/contract.ts';
import type { ContractTarget } from '../src/etcd/contract/fixture.ts';
import { createEtcdStore, openEmbeddedStore, serveEtcd } from '../src/etcd/index.ts';
import { createContext, RealClock, silentLogger } from '../src/kernel/index.ts';
import { startEtcd } from './etcd-process.ts';
import { requires } from './requires.ts';

const clock = new RealClock();
const pass = (ms: number): Promise<void> => clock.sleep(ms);

for (const size of [1, 3]) {
  storeContract(`etcd, ${size} member${size === 1 ? '' : 's'}`, {
    skip: requires('etcd'),
    dropsDeletionAtCompaction: requires('etcd>=3.5'),
    async open() {
      const cluster = await startEtcd(size);
      const store = createEtcdStore({ endpoints: cluster.endpoints, clock });
      return {
        store,
        pass,
        async close() {
          await store.close();
          await cluster.close();
        },
      };
    },
  });
}

const throughFront = (sharedEvents: boolean): ContractTarget => ({
  async open() {
    const directory = mkdtempSync(join(tmpdir(), 'k8ts-store-'));
    const embedded = await openEmbeddedStore({ directory, clock });
    const ctx = createContext({ logger: silentLogger });
    const front = await serveEtcd(ctx, {
      store: embedded,
      listenClientUrls: ['http://127.0.0.1:0'],
      speed: { sharedEvents },
    });
    const store = createEtcdStore({ endpoints: front.urls, clock });
    return {
      store,
      pass,
      async close() {
        await store.close();
        await front.close();
        await embedded.close();
        rmSync(directory, { recursive: true });
      },
    };
  },
});

storeContract('embedded through the gRPC front', throughFront(true));
storeContract('embedded through the gRPC front without sharedEvents', throughFront(false));
