/**
 * Adds and removes nodes and pods as fast as it can, until it is killed. Directory, the host's namespace and the seed
 * are its arguments; it writes a line when it has begun.
 */
import path from 'node:path';
import { createFabric } from '../src/cluster/fabric/index.ts';
import { BridgeNetwork } from '../src/container-runtime/network/index.ts';
import { createContext, SeededRandom } from '../src/kernel/index.ts';
import { createNetns, deleteNetns, isNetns } from '../src/net/netns/index.ts';

const [directory, hostNetns, seed] = process.argv.slice(2) as [string, string, string];
const ctx = createContext({ random: new SeededRandom(Number(seed)), writeLog: () => {} });
const fabric = await createFabric(ctx, { name: 'crash', stateDirectory: path.join(directory, 'fabric'), hostNetns });
const networks = new Map<string, BridgeNetwork>();
process.stdout.write('begun\n');

for (;;) {
  const number = Math.floor(ctx.random.next() * 3);
  const name = `node-${number}`;
  if (ctx.random.next() < 0.1) {
    await networks.get(name)?.close();
    networks.delete(name);
    await fabric.removeNode(name);
    continue;
  }
  const podCidrs = [`10.244.${number}.0/24`];
  const node = await fabric.addNode(name, { podCidrs });
  let network = networks.get(name);
  if (network === undefined) {
    network = await BridgeNetwork.open(ctx, { nodeNetns: node.netnsPath, stateDirectory: path.join(directory, name) });
    await network.configure({ podCidrs });
    networks.set(name, network);
  }
  await Promise.all(
    Array.from({ length: 4 }, async (_, quarter) => {
      const id = `${name}-pod-${quarter * 3 + Math.floor(ctx.random.next() * 3)}`;
      const netnsPath = path.join(directory, 'pods', id);
      const annotations: Record<string, string> =
        ctx.random.next() < 0.2 ? { 'kubernetes.io/egress-bandwidth': '10M' } : {};
      const hostPort = ctx.random.next() < 0.2 ? 8000 + Number(id.split('-').at(-1)) : 0;
      const sandbox = {
        id,
        name: id,
        namespace: 'default',
        uid: '',
        netnsPath,
        annotations,
        portMappings: [{ protocol: 'TCP' as const, containerPort: 80, hostPort }],
      };
      if (ctx.random.next() < 0.5) {
        if (!isNetns(netnsPath)) createNetns(netnsPath);
        await network.attach(sandbox);
      } else {
        await network.detach(sandbox);
        deleteNetns(netnsPath);
      }
    }),
  );
}
