/**
 * The kubelet, the node agent. Each pod that is bound to the node has a pod worker: it observes the runtime
 * (`runtime/observe-pod.ts`), a pure state machine decides what to do (`pod/sync-pod.ts`), the worker performs it
 * through CRI (`pod/perform-actions.ts`) and writes the pod's status.
 *
 * Around the workers: node registration and heartbeats (`node/`), the PLEG (`runtime/pleg.ts`), pod admission and
 * in-place resize (`admission/`), images and image GC (`images/`), volumes and bound tokens (`volumes/`), probes
 * (`probes/`), cgroups by QoS class (`cgroups/`), the CPU, memory and topology managers (`resources/`), device plugins
 * and DRA (`devices/`, `dra/`), eviction (`eviction/`), graceful node shutdown (`shutdown/`), static pods
 * (`pod/static-pods.ts`), certificates (`certificates/`) and the kubelet API (`server/`).
 */
export { run } from './run.ts';
export type { KubeletConfig, KubeletOptions, RunningKubelet } from './kubelet-options.ts';
export { DEFAULT_ROOT_DIRECTORY } from './published-root.ts';
export { DEFAULT_KUBELET_CONFIGURATION } from './configuration/kubelet-configuration.ts';

export { removeCgroups, removeKubeletState, unmountVolumes } from './remove-kubelet-state.ts';
export { kubeletHelp, parseKubeletFlags, startKubeletCommand, type KubeletCommand } from './command.ts';
export { KUBELET_FLAGS } from './configuration/flags.ts';
export {
  bootstrapClientCertificate,
  hasClientCertificate,
  renewableCredentials,
  rotateClientCertificate,
  writeClientKubeconfig,
} from './certificates/client-certificate.ts';
