/**
 * The container runtime: a CRI server over an OCI runtime binary such as runc. `images/` pulls, stores and mounts
 * images; `network/` connects pods (a built-in bridge, or CNI); `sandboxes/` and `containers/` implement the CRI calls
 * on them; `oci-spec/` builds the runtime spec; `streaming/` serves exec, attach and port-forward; `stats/` reads
 * cgroups. Sandboxes are pinned namespaces, conmon holds containers' stdio and exit codes, and both outlive this
 * process. Every record is written before the resource that it describes is created, so the process can be killed at
 * any time.
 *
 * `build/` builds images from Dockerfiles. `startContainerRuntime` returns the CRI services to a caller in the same process; `run` serves them on a socket.
 */
export { startContainerRuntime, type RunningContainerRuntime } from './start-container-runtime.ts';
export { run } from './run.ts';
export type { ContainerRuntimeOptions } from './options.ts';

export { RUNTIME_NAME, RUNTIME_VERSION } from './runtime-status.ts';
export { isBuildCache, type BuildOptions, type BuildProgress } from './build/build-image.ts';
export { BridgeNetwork, CniNetwork, removeBridgeNetwork, type PodNetwork } from './network/index.ts';
export type { PullOptions } from './images/image-store.ts';
export type { RegistryOptions } from './images/registry/registry-options.ts';
export { readTar } from './images/tar/tar-reader.ts';
export { encodeTarEntry, TAR_END, tarPadding } from './images/tar/tar-writer.ts';
