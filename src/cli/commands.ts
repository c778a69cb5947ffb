import type { Commands } from './command.ts';

/** Every command, in the order of the help. Help, completion and suggestions come from here. */
export const commands: Commands = {
  up: { summary: 'Start a cluster', load: () => import('./up.ts') },
  down: { summary: 'Stop a cluster', load: () => import('./down.ts') },
  delete: { summary: 'Stop a cluster and remove its data', load: () => import('./delete.ts') },
  status: { summary: 'Show the state of a cluster', load: () => import('./status.ts') },
  nodes: { summary: 'Add and remove nodes while the cluster runs', load: () => import('./nodes.ts') },
  token: {
    summary: 'Create, list and delete tokens with which machines join: token create',
    load: () => import('./token.ts'),
  },
  join: {
    summary: 'Make this machine a node of a cluster: join https://SERVER:6443 --token T',
    load: () => import('./join.ts'),
  },
  leave: { summary: 'Take this machine out of its cluster, and clean it up', load: () => import('./leave.ts') },
  config: {
    summary: 'Check the configuration file k8ts.yaml, and print the effective values: config check FILE',
    load: () => import('./config.ts'),
  },
  upgrade: {
    summary: 'Let this release run a cluster or node of an older one, while its pods run on',
    load: () => import('./upgrade.ts'),
  },
  certs: {
    summary: 'Show when certificates expire, and renew them: certs check',
    load: () => import('./certs.ts'),
  },
  service: {
    summary: 'Install k8ts as a service of systemd: service install',
    load: () => import('./service.ts'),
  },
  simulate: {
    summary: 'Set the number of simulated nodes: simulate nodes N',
    load: () => import('./simulate.ts'),
  },
  console: { summary: 'Serve the web console of a cluster', load: () => import('./console.ts') },
  image: { summary: 'Build, load, pull and list the images of the nodes', load: () => import('./image.ts') },
  snapshot: { summary: 'Save a cluster to a file, and restore it', load: () => import('./snapshot.ts') },
  store: {
    summary: 'Show where a cluster is kept, and move it to etcd or back: store move etcd',
    load: () => import('./store.ts'),
  },
  explain: { summary: 'The old name of why: explain pod web is why pod/web', load: () => import('./explain.ts') },
  why: { summary: 'Explain why an object is not as its spec asks for: why pod/web', load: () => import('./why.ts') },
  trace: {
    summary: 'Do something and show everything that it causes: trace apply -f FILE',
    load: () => import('./trace.ts'),
  },
  history: {
    summary: 'Show who changed what of an object, and when: history deployment/web',
    load: () => import('./history.ts'),
  },
  at: {
    summary: 'Run a reading command against the cluster as it was: at 5m -- kubectl get pods',
    load: () => import('./at.ts'),
  },
  fork: {
    summary: 'Start a copy of a cluster as it was: fork --at 5m',
    load: () => import('./fork.ts'),
  },
  envtest: {
    summary: "Print a directory with kube-apiserver and etcd for controller-runtime's envtest",
    load: () => import('./envtest.ts'),
  },
  doctor: {
    summary: 'Check what is missing on this machine, and how to install it',
    load: () => import('./doctor.ts'),
  },
  bench: { summary: 'Measure an API server', load: () => import('./bench.ts') },
  man: { summary: 'Print the manual page', load: () => import('./man.ts') },
  completion: {
    summary: 'Print or install a completion script for bash, zsh or fish',
    load: () => import('./completion.ts'),
  },
  'kube-apiserver': {
    component: true,
    summary: "Serve the Kubernetes API from an etcd, with upstream's flags",
    load: () => import('./kube-apiserver.ts'),
  },
  'kube-controller-manager': {
    component: true,
    summary: "Run the controllers, with upstream's flags",
    load: () => import('./kube-controller-manager.ts'),
  },
  'cloud-controller-manager': {
    component: true,
    summary: "Run the controllers of a cloud, with upstream's flags",
    load: () => import('./cloud-controller-manager.ts'),
  },
  'kube-proxy': {
    component: true,
    summary: "Route traffic for Services to their endpoints, with upstream's flags",
    load: () => import('./kube-proxy.ts'),
  },
  'kube-scheduler': {
    component: true,
    summary: "Assign pods to nodes, with upstream's flags",
    load: () => import('./kube-scheduler.ts'),
  },
  kubelet: {
    component: true,
    summary: "Run the pods of a node, with upstream's flags",
    load: () => import('./kubelet.ts'),
  },
  'container-runtime': {
    component: true,
    summary: 'Serve the Container Runtime Interface on a socket',
    load: () => import('./container-runtime.ts'),
  },
  etcd: {
    component: true,
    summary: "Serve a store over etcd's v3 API; save and restore snapshots",
    load: () => import('./etcd.ts'),
  },
  reencrypt: { summary: 'Encrypt all stored objects with the newest key', load: () => import('./reencrypt.ts') },
  version: { summary: 'Print the versions', load: () => import('./version.ts') },
};
