/**
 * The container runtime: a CRI server over an OCI runtime binary. Images come from `images/`, the pods' network from
 * `network/`; sandboxes are pinned namespaces, containers are held by conmon, and both outlive this process. Everything
 * that is known is in small files that are written before what they speak of is made, so it can be killed at any time.
 *
 * `startContainerRuntime` gives the services to a caller in the same process; `run` serves them on a socket.
 */
export { startContainerRuntime, type RunningContainerRuntime } from './start-container-runtime.ts';
export { run } from './run.ts';
export type { ContainerRuntimeOptions } from './options.ts';

export { RUNTIME_NAME, RUNTIME_VERSION } from './runtime-status.ts';
export { BridgeNetwork, CniNetwork, type PodNetwork } from './network/index.ts';
export { readTar } from './images/tar/tar-reader.ts';
export { encodeTarEntry, TAR_END, tarPadding } from './images/tar/tar-writer.ts';
