/**
 * The node agent. For every pod that the API gives to its node there is a worker: it looks at what the runtime has
 * (`runtime/observe-pod.ts`), a pure function says what is to be done (`pod/sync-pod.ts`), it is done through CRI
 * (`pod/perform-actions.ts`), and what came of it is written to the pod's status. Around this: the node's registration
 * and heartbeats (`node/`), images, volumes, probes, cgroups, devices, eviction, and the kubelet's own API (`server/`).
 */
export { run } from './run.ts';
export type { KubeletConfig, KubeletOptions, KubeletServing, RunningKubelet } from './kubelet-options.ts';
export { DEFAULT_KUBELET_CONFIGURATION, type KubeletConfiguration } from './configuration/kubelet-configuration.ts';
export { KubeletConfigurationError, loadKubeletConfiguration } from './configuration/load-kubelet-configuration.ts';
export { removeCgroups, removeKubeletState, unmountVolumes } from './remove-kubelet-state.ts';
export {
  kubeletHelp,
  parseKubeletFlags,
  startKubeletCommand,
  type KubeletCommand,
  type ParsedKubeletFlags,
} from './command.ts';
export { KUBELET_FLAGS } from './configuration/flags.ts';
