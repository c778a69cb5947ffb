/**
 * Linux network namespaces inside one process: creates and pins them, opens sockets and starts programs in them, and
 * sends netlink requests to them. A thread enters a namespace for one synchronous call and returns; sockets that it
 * opened there stay there. Only components that use namespaces load this folder (and with it, on first use, koffi).
 */
export { createNetns, deleteNetns, inNetns, isNetns, openNetns, readSysctl, writeSysctl } from './namespace.ts';
export { connectIn, datagramIn, listenIn } from './sockets.ts';
export { CommandFailed, runIn, spawnIn, ToolMissing } from './run-in.ts';
export { NetlinkSocket, type NetlinkRequest } from './netlink.ts';
export {
  addBridge,
  addIfb,
  addLink,
  addVeth,
  addVxlan,
  deleteLink,
  deleteLinkGroup,
  findLink,
  listLinks,
  macBytes,
  setBridgePort,
  setLink,
  withoutLinkLocal,
  type Link,
} from './links.ts';
export {
  addAddress,
  addForwardingEntry,
  addNeighbour,
  addRoute,
  addVxlanPeer,
  deleteAddress,
  deleteNeighbour,
  deleteRoute,
  deleteVxlanPeer,
  listAddresses,
  listNeighbours,
  listRoutes,
  listVxlanPeers,
  type ListedRoute,
  type Route,
  type VxlanPeer,
} from './routes.ts';
export { routeChanges } from './route-changes.ts';
export { untilOperational } from './operational.ts';
export {
  addSetElements,
  changeElements,
  deleteSetElements,
  type ElementChanges,
  type ElementParts,
  type MapElements,
  type SetElements,
  type Verdict,
} from './nftables-elements.ts';
export { sendFrames } from './frames.ts';
export { sendUnixDatagram } from './unix-datagram.ts';
export { lockFile, tryLockFile, type FileLock } from './file-lock.ts';
