/**
 * Linux network namespaces from inside one process: make and pin them, open sockets and start programs in them, and
 * speak netlink with them. The thread visits a namespace for the length of a synchronous call and comes back; whatever
 * was opened there stays there.
 *
 * Only components that use namespaces load it (and with it, on first use, koffi).
 */
export { createNetns, deleteNetns, inNetns, isNetns, openNetns, readSysctl, writeSysctl } from './namespace.ts';
export { connectIn, datagramIn, listenIn } from './sockets.ts';
export { CommandFailed, runIn, spawnIn, ToolMissing } from './run-in.ts';
export { NetlinkSocket, type NetlinkRequest } from './netlink.ts';
export {
  addBridge,
  addIfb,
  addVeth,
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
  deleteAddress,
  deleteNeighbour,
  deleteRoute,
  listAddresses,
  listNeighbours,
  listRoutes,
  type ListedRoute,
  type Route,
} from './routes.ts';
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
export { lockFile, tryLockFile, type FileLock } from './file-lock.ts';
