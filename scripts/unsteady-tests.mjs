// Test files that may fail among all others and pass when they are tried again alone, with the reason. Any other file that
// does so fails the run. The list only gets shorter: a test file whose waits are conditions (`until`, `expect.poll`) and whose
// limits are far away does not belong here, whatever sockets it opens.

const PROCESSES = 'starts processes, containers or kernels of its own and waits for them in real time';
const MEASURES = 'measures processor time, memory or delays, which other tests disturb';
const WINDOWS = 'checks that something does not happen, or ends in time, within a window of real time';

const PORTS = 'needs the same free port for UDP and TCP, which another test may take in between';

/** @type {readonly [string, readonly string[]][]} */
const UNSTEADY = [
  [PORTS, ['src/dns/run']],
  [
    PROCESSES,
    [
      'test/apiserver-client-node',
      'test/apiserver-kubectl',
      'test/apiserver-python',
      'test/attacks/durability-clock-process',
      'test/attacks/durability-disk-full',
      'test/attacks/durability-file-system',
      'test/attacks/durability-kill',
      'test/attacks/durability-power-loss',
      'test/attacks/full-disk',
      'test/attacks/identity',
      'test/attacks/listening',
      'test/bare-system',
      'test/clean-clone',
      'test/cli',
      'test/cli-egress',
      'test/cli-join',
      'test/cluster',
      'test/cluster-network',
      'test/cluster-network-dual-stack',
      'test/cluster-network-killed',
      'test/components',
      'test/container-images',
      'test/container-runtime',
      'test/container-runtime-containers',
      'test/container-runtime-crash',
      'test/container-runtime-sandboxes',
      'test/container-runtime-streaming',
      'test/csi-volumes',
      'test/docs',
      'test/etcd-cluster',
      'test/etcd-contract',
      'test/etcd-wire',
      'test/examples',
      'test/hostile-pods',
      'test/interchange/api-servers',
      'test/interchange/controller-managers',
      'test/interchange/schedulers',
      'test/interchange/snapshots',
      'test/interchange/takeover',
      'test/kube-proxy-crash',
      'test/kubectl-stories',
      'test/kubelet-api',
      'test/kubelet-bootstrap',
      'test/kubelet-crash',
      'test/kubelet-features',
      'test/kubelet-pods',
      'test/kubelet-pressure',
      'test/kubelet-shutdown',
      'test/network',
      'test/network-crash',
    ],
  ],
  [
    MEASURES,
    [
      'src/etcd/front/hostile-clients',
      'test/attacks/hostile-cri-socket',
      'test/attacks/hostile-etcd',
      'test/attacks/hostile-node-ports',
      'test/attacks/hostile-requests',
      'test/attacks/memory',
      'test/attacks/time',
      'test/attacks/turn-watchdog',
    ],
  ],
  [
    WINDOWS,
    [
      'src/apiserver/transport/slow-clients',
      'src/cluster/fabric/fabric',
      'src/container-runtime/network/bridge/bridge-network',
      'src/kube-proxy/traffic',
      'src/machinery/decode/garbage',
      'test/attacks/hand-over',
    ],
  ],
];

const REASONS = new Map(UNSTEADY.flatMap(([reason, names]) => names.map((name) => [`${name}.test.ts`, reason])));

/** The listed files. */
export const unsteadyFiles = [...REASONS.keys()];

/**
 * Why a file may be unsteady; undefined when it may not.
 * @param {string} file its path in the project, with forward slashes
 */
export function unsteadyReason(file) {
  return REASONS.get(file);
}
