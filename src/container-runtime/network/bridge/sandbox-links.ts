/** Creates and deletes the veth pair, addresses, routes and neighbours of one sandbox. */
import fs from 'node:fs';
import type { Clock } from '../../../kernel/index.ts';
import {
  addAddress,
  addForwardingEntry,
  addIfb,
  addNeighbour,
  addRoute,
  addVeth,
  deleteNeighbour,
  findLink,
  inNetns,
  NetlinkSocket,
  openNetns,
  readSysctl,
  runIn,
  setBridgePort,
  setLink,
  untilOperational,
  withoutLinkLocal,
  writeSysctl,
  type Link,
} from '../../../net/netns/index.ts';
import type { AttachmentRecord } from './attachment-records.ts';
import { shapingCommands, type Bandwidth } from './bandwidth.ts';
import type { LinkRemoval } from './link-removal.ts';
import type { NodeBridge } from './node-bridge.ts';

interface SandboxConnection {
  readonly clock: Clock;
  /** Netlink of the node's namespace. */
  readonly node: NetlinkSocket;
  readonly nodeNetns: string | undefined;
  readonly bridge: NodeBridge;
  readonly sandboxNetns: string;
}

interface SandboxLinkOptions {
  readonly mtu: number;
  readonly bandwidth: Bandwidth;
  readonly sysctls?: Readonly<Record<string, string>> | undefined;
}

export const INTERFACE_NAME = 'eth0';

/**
 * Pods have host routes only, so all their traffic is routed by the node and passes its rules, also between pods of
 * one node. Bridge ports are isolated and locked to the pod's MAC address, and neighbours are permanent entries: a pod
 * can neither impersonate another pod nor see its traffic.
 */
export async function connectSandbox(
  connection: SandboxConnection,
  record: AttachmentRecord,
  options: SandboxLinkOptions,
): Promise<void> {
  const { node, bridge, sandboxNetns } = connection;
  const { hostInterface, mac, ips, gateways = [] } = record;
  const target = openNetns(sandboxNetns);
  let sandbox: NetlinkSocket | undefined;
  try {
    sandbox = inNetns(sandboxNetns, () => {
      writeSysctls(options.sysctls ?? {});
      return new NetlinkSocket(undefined);
    });
    await node.send([
      addVeth(
        { name: hostInterface, master: bridge.index, mtu: options.mtu },
        { name: INTERFACE_NAME, netnsFd: target, mac, mtu: options.mtu },
      ),
      withoutLinkLocal(hostInterface),
    ]);
    await sandbox.send([setLink({ name: 'lo', up: true }), setLink({ name: INTERFACE_NAME, up: true })]);
    const [outside, inside] = await Promise.all([findLink(node, hostInterface), findLink(sandbox, INTERFACE_NAME)]);
    if (outside === undefined || inside === undefined)
      throw new Error(`the interface ${hostInterface} disappeared while it was being set up`);
    await sandbox.send([
      ...ips.map((address) => addAddress(inside.index, `${address}/${address.includes(':') ? 128 : 32}`)),
      ...gateways.flatMap((gateway) => [
        addNeighbour({ index: inside.index, address: gateway, mac: bridge.mac! }),
        addRoute({ destination: gateway, interfaceIndex: inside.index }),
        addRoute({ destination: 'default', gateway, interfaceIndex: inside.index }),
      ]),
    ]);
    await node.send([
      setBridgePort(
        outside.index,
        { isolated: !bridge.filtersFrames, hairpin: bridge.filtersFrames, learning: false, locked: true },
        hostInterface,
      ),
      addForwardingEntry({ index: outside.index, mac }),
      ...ips.map((address) => addNeighbour({ index: bridge.index, address, mac })),
      // Last, because with the other end up the port forwards at once.
      setLink({ index: outside.index, name: hostInterface, up: true, alias: record.pod }),
    ]);
    await untilOperational(connection.clock, [
      { socket: node, name: hostInterface },
      { socket: sandbox, name: INTERFACE_NAME, addresses: ips },
      // The bridge becomes operational with the first pod.
      { socket: node, name: bridge.name, addresses: gateways },
    ]);
    await shapeTraffic(connection, record, options);
  } finally {
    sandbox?.close();
    fs.closeSync(target);
  }
}

async function shapeTraffic(
  { node, nodeNetns }: SandboxConnection,
  record: AttachmentRecord,
  { bandwidth, mtu }: SandboxLinkOptions,
): Promise<void> {
  const { hostInterface, ifbDevice, pod } = record;
  const commands = shapingCommands({ bandwidth, hostInterface, ifbDevice: ifbDevice ?? '', mtu });
  if (commands.length === 0) return;
  if (ifbDevice !== undefined)
    await node.send([
      addIfb({ name: ifbDevice, mtu }),
      withoutLinkLocal(ifbDevice),
      setLink({ name: ifbDevice, up: true, alias: pod }),
    ]);
  await runIn('tc', ['-batch', '-'], { netns: nodeNetns, input: `${commands.join('\n')}\n` });
}

/** Undoes `connectSandbox`. Missing parts are skipped. */
export async function disconnectSandbox(
  { node, bridge, removal }: { node: NetlinkSocket; bridge: Link | undefined; removal: LinkRemoval },
  record: AttachmentRecord,
): Promise<void> {
  await removal.remove([record.hostInterface, ...(record.ifbDevice === undefined ? [] : [record.ifbDevice])]);
  if (bridge !== undefined)
    await node.send(record.ips.map((address) => deleteNeighbour({ index: bridge.index, address })));
}

/**
 * IPv6 addresses are usable at once (no DAD), and router advertisements and redirects are ignored: the node routes
 * packets back to the same interface, and a redirect would point pods at each other, which cannot connect directly.
 */
const SANDBOX_SYSCTLS = {
  'net.ipv6.conf.default.accept_dad': '0',
  'net.ipv6.conf.default.accept_ra': '0',
  'net.ipv6.conf.default.accept_redirects': '0',
  'net.ipv4.conf.all.accept_redirects': '0',
  'net.ipv4.conf.default.accept_redirects': '0',
};

/** The pod's own sysctls override those of the network. */
function writeSysctls(sysctls: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(SANDBOX_SYSCTLS)) {
    if (readSysctl(undefined, name) !== undefined) writeSysctl(undefined, name, value);
  }
  for (const [name, value] of Object.entries(sysctls)) writeSysctl(undefined, name, value);
}
