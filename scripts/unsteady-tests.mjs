// Test files that may fail among all others and pass when they are tried again alone, each with what in it depends on the
// machine. Any other file that does so fails the run. The list only gets shorter: whoever takes a file off lowers the number in
// unsteady-tests.test.ts, and nobody raises it. A test file whose waits are conditions (`until`, `expect.poll`) with the default
// limits does not belong here, whatever sockets, processes or containers it has: a failure of it is a defect, of the product or of
// the test.

/** @type {Readonly<Record<string, string>>} */
const UNSTEADY = {
  'test/attacks/memory.test.ts':
    'limits how much the server grows while clients do not read: its garbage is collected later on a busy machine',
  'test/attacks/time.test.ts':
    'limits a turn of the event loop to 50 ms of processor time, which cold caches and the collector of garbage lengthen',
  'test/bare-system.test.ts': 'installs Debian packages from a mirror',
  'test/clean-clone.test.ts': 'installs npm packages from a registry',
  'test/cluster-network-killed.test.ts':
    'looks at what a killed cluster leaves on the machine, which any other cluster that starts removes',
  'test/cluster-network.test.ts':
    'replaces Pods under load: the rules of three nodes must leave out a Pod before its preStop hook ends',
  'test/etcd-cluster.test.ts': 'lets etcd elect another leader: writes must resume within five seconds of real time',
  'test/interchange/controller-managers.test.ts':
    "expects no new object within ten seconds of an exchange: upstream's manager may not have finished its first round",
  'test/interchange/schedulers.test.ts':
    'expects that six Pods are spread evenly, which depends on the order in which the nodes and Pods are seen',
  'test/interchange/takeover.test.ts':
    "compares every object before and after an exchange, among them the ones that upstream's server writes on its own",
  'test/kubelet-pressure.test.ts': 'counts the processes of the whole machine for pid.available',
};

/** The listed files. */
export const unsteadyFiles = Object.keys(UNSTEADY);

/**
 * What makes a file unsteady; undefined when it may not be.
 * @param {string} file its path in the project, with forward slashes
 */
export function unsteadyReason(file) {
  return Object.hasOwn(UNSTEADY, file) ? UNSTEADY[file] : undefined;
}
