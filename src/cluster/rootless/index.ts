/**
 * Nodes that run containers for an ordinary user. `k8ts up` starts itself again as root of a user namespace with its own
 * mounts, processes and network, where everything runs as it does for root. The first process stays outside: it maps
 * the user's subordinate ids, opens sockets on the user's network for the second one, and takes it along when it ends.
 *
 *   k8ts up (user) ──unshare──▶ sh (PID 1, reaps) ──▶ k8ts up (root inside): API server, nodes, containers
 *        │  newuidmap, newgidmap                          ▲
 *        └───── IPC: listen, connect, and the sockets ────┘
 */
export { insideNamespaces, type Inside } from './inside.ts';
export { runInNamespaces } from './run-in-namespaces.ts';
export { removeTree } from './remove-tree.ts';
export { rootlessChecks, rootlessObstacle, wayOutRemedy } from './obstacles.ts';
export { connectHostNetwork, type HostNetwork } from './host-network.ts';
export { bridgeLoopback } from './bridge-loopback.ts';
export { publishNodePorts } from './node-ports.ts';
export { publishPort } from './publish-port.ts';
