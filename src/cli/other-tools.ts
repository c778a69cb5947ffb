/** Commands that people know from other tools, and what they are here. */
const HINTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    start: 'k8ts up',
    run: 'k8ts up',
    'create cluster': 'k8ts up',
    create: 'k8ts up',
    server: 'k8ts up',
    init: 'k8ts up',
    stop: 'k8ts down',
    halt: 'k8ts down',
    shutdown: 'k8ts down',
    'delete cluster': 'k8ts delete',
    rm: 'k8ts delete',
    remove: 'k8ts delete',
    destroy: 'k8ts delete',
    reset: 'k8ts delete',
    uninstall: 'k8ts delete',
    ps: 'k8ts status',
    info: 'k8ts status',
    'get clusters': 'k8ts status',
    list: 'k8ts status',
    'get nodes': 'k8ts nodes list',
    node: 'k8ts nodes',
    'load docker-image': 'docker save IMAGE | k8ts image load -',
    'load image-archive': 'k8ts image load FILE.tar',
    load: 'k8ts image load',
    build: 'k8ts image build',
    images: 'k8ts image list',
    'get kubeconfig': 'k8ts status',
    kubeconfig: 'k8ts status',
    kubectl: 'kubectl --kubeconfig .k8ts/kubeconfig',
  }),
);

/** The equivalent of a command of another tool. */
export function hintFor(argv: readonly string[]): string | undefined {
  return hintForPhrase(argv) ?? HINTS.get(argv[0] ?? '');
}

/** The equivalent of two words of another tool, of which the first may be a command here, too. */
export function hintForPhrase([first = '', second = '']: readonly string[]): string | undefined {
  return HINTS.get(`${first} ${second}`);
}
