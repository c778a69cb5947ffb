/** Removes what a node's bridge network leaves in its namespace after the last sandbox: bridge and nftables tables. */
import { deleteLink, NetlinkSocket, runIn } from '../../../net/netns/index.ts';
import { HOST_PORTS_TABLE } from './host-ports.ts';
import { MASQUERADE_TABLE } from './node-bridge.ts';
import { GUARD_TABLE } from './source-guard.ts';

export async function removeBridgeNetwork({
  nodeNetns,
  bridgeName = 'k8ts0',
}: {
  readonly nodeNetns?: string | undefined;
  readonly bridgeName?: string;
}): Promise<void> {
  const socket = new NetlinkSocket(nodeNetns);
  try {
    await socket.send([deleteLink({ name: bridgeName })]);
  } finally {
    socket.close();
  }
  const tables = [HOST_PORTS_TABLE, MASQUERADE_TABLE, GUARD_TABLE];
  // Deleting a table that is not there would fail, so each is added first.
  const input = tables.map((table) => `table inet ${table}\ndelete table inet ${table}\n`).join('');
  await runIn('nft', ['-f', '-'], { netns: nodeNetns, input });
}
