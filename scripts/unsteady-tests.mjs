// Test files that may fail among all others and pass when they are tried again alone, with the reason. Any other file that
// does so fails the run. The list only gets shorter.

const PROCESSES = 'starts processes, containers or kernels of its own and waits for them in real time';
const MEASURES = 'measures processor time, memory or delays, which other tests disturb';
const REAL_TIME = 'waits in real time for connections or timers of this process';

/** @type {readonly [RegExp, string][]} */
const UNSTEADY = [
  [/^test\/(?:attacks|compare)\//, MEASURES],
  [
    /^test\/(?:cli|cluster|components|container|csi|etcd|examples|hostile|interchange|kube-proxy|kubectl|kubelet|network)/,
    PROCESSES,
  ],
  [/^test\/(?:apiserver|bare-system|clean-clone|docs|scheduler)/, PROCESSES],
  [/^src\/cluster\/(?:fabric|node-fleet)\//, PROCESSES],
  [/^src\/etcd\/(?:embedded|front|client)\//, REAL_TIME],
  [/^src\/apiserver\/transport\//, REAL_TIME],
  [/^src\/apiserver\/aggregator\/server-behind-server\.test\.ts$/, REAL_TIME],
  [/^src\/apiserver\/authn\/authenticators\.test\.ts$/, 'makes many key pairs within the time of a hook'],
  [
    /^src\/controller-manager\/(?:properties|statefulset\/\S+)\.test\.ts$/,
    'plays thousands of crashes within its time',
  ],
  [/^src\/(?:client|cluster|component-server|container-runtime|dns|ingress-controller|kube-proxy)\//, REAL_TIME],
  [/^src\/machinery\/decode\/garbage\.test\.ts$/, MEASURES],
  [/^src\/net\//, REAL_TIME],
];

/**
 * Why a file may be unsteady; undefined when it may not.
 * @param {string} file its path in the project, with forward slashes
 */
export function unsteadyReason(file) {
  return UNSTEADY.find(([pattern]) => pattern.test(file))?.[1];
}
