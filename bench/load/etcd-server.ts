/** `k8ts etcd` as a process of its own: tells its parent where it is, and ends with it. */
import { runEtcdCommand } from '../../src/etcd/index.ts';
import { createContext, silentLogger } from '../../src/kernel/index.ts';

const ending = new AbortController();
process.once('disconnect', () => ending.abort());
await runEtcdCommand(createContext({ logger: silentLogger, signal: ending.signal }), process.argv.slice(2), {
  onReady: ([url]) => process.send?.({ url }),
});
