// Programs of the system that `npm start` and `npm test` use, what for, and the packages that have them.

/**
 * @typedef {'apt' | 'dnf' | 'apk'} PackageManager
 * @typedef {'start' | 'test' | 'verify'} Command `npm test` needs what `npm start` needs, `npm run verify` all of it.
 * @typedef {Readonly<Partial<Record<PackageManager, string>>>} Packages One or more of each manager, by spaces.
 * @typedef {object} Program
 * @property {Command} command The first command that needs it.
 * @property {string} purpose What it is for; for tests, what they test.
 * @property {Packages} packages
 * @property {readonly string[]} [files] It is there when one of these is; otherwise its name is looked for in the PATH.
 *
 * @typedef {readonly [purpose: string, packages: string | Packages, files?: readonly string[]]} Row With one text for
 * the packages where all managers have the same name.
 */

/** @type {Readonly<Record<string, Program>>} */
export const PROGRAMS = {
  ...neededBy('start', {
    runc: ['creates containers', 'runc'],
    conmon: ['holds their output and exit codes', 'conmon'],
    nft: ['sends packets to Services', 'nftables'],
    ip: ["makes the nodes' networks", { apt: 'iproute2', dnf: 'iproute', apk: 'iproute2' }],
    tc: ['limits the bandwidth of Pods', { apt: 'iproute2', dnf: 'iproute-tc', apk: 'iproute2' }],
    conntrack: ['forgets deleted endpoints', { apt: 'conntrack', dnf: 'conntrack-tools', apk: 'conntrack-tools' }],
  }),

  ...neededBy('test', {
    bash: ['commands of the docs', 'bash'],
    busybox: ['images', { apt: 'busybox-static', dnf: 'busybox', apk: 'busybox-static' }],
    'dbus-daemon': ['node shutdown', { apt: 'dbus', dnf: 'dbus-daemon', apk: 'dbus' }],
    'docker-registry': ['pulls', { apt: 'docker-registry', dnf: 'docker-distribution', apk: 'docker-registry' }],
    etcd: ['a real etcd', { apt: 'etcd-server', dnf: 'etcd', apk: 'etcd' }],
    etcdctl: ['the embedded store over the wire', { apt: 'etcd-client', dnf: 'etcd', apk: 'etcd-ctl' }],
    // Without recommended packages gcc comes without the headers of the C library.
    gcc: ['power loss and clock jumps', { apt: 'gcc libc6-dev', dnf: 'gcc', apk: 'gcc musl-dev' }],
    iptables: ['kube-proxy with iptables', { apt: 'iptables', dnf: 'iptables-nft', apk: 'iptables' }],
    'iptables-restore': ['kube-proxy with iptables', { apt: 'iptables', dnf: 'iptables-nft', apk: 'iptables' }],
    // Fedora's packages have the version in their names; dnf takes a file's name as well.
    kubectl: ['kubectl on the API', { apt: 'kubernetes-client', dnf: '/usr/bin/kubectl', apk: 'kubectl' }],
    losetup: ['power loss', { apt: 'mount', dnf: 'util-linux-core', apk: 'losetup' }],
    'mkfs.ext4': ['power loss', 'e2fsprogs'],
    mount: ['full disks', { apt: 'mount', dnf: 'util-linux-core', apk: 'mount' }],
    newgidmap: ['containers without root', { apt: 'uidmap', dnf: 'shadow-utils', apk: 'shadow-uidmap' }],
    newuidmap: ['containers without root', { apt: 'uidmap', dnf: 'shadow-utils', apk: 'shadow-uidmap' }],
    nsenter: ['egress', { apt: 'util-linux', dnf: 'util-linux-core', apk: 'util-linux-misc' }],
    openssl: ['certificates', 'openssl'],
    pasta: ['egress without root', 'passt'],
    portmap: [
      'reference CNI plugins',
      { apt: 'containernetworking-plugins', dnf: 'containernetworking-plugins', apk: 'cni-plugins' },
      ['/opt/cni/bin/portmap', '/usr/lib/cni/portmap', '/usr/libexec/cni/portmap'],
    ],
    python3: ['other clients of Services', 'python3'],
    'python3-kubernetes': [
      "Python's client of the API",
      { apt: 'python3-kubernetes', dnf: 'python3-kubernetes' },
      // Debian's is for every Python 3, Fedora's for one.
      ['/usr/lib/python3/dist-packages/kubernetes', '/usr/lib/python3.*/site-packages/kubernetes'],
    ],
    script: ['terminals of kubectl', { apt: 'bsdutils', dnf: 'util-linux-script', apk: 'util-linux-misc' }],
    setpriv: ['users other than root', { apt: 'util-linux', dnf: 'util-linux-core', apk: 'setpriv' }],
    slirp4netns: ['egress without root', 'slirp4netns'],
    sysctl: ['forwarding', { apt: 'procps', dnf: 'procps-ng', apk: 'procps-ng' }],
    umount: ['full disks', { apt: 'mount', dnf: 'util-linux-core', apk: 'umount' }],
    useradd: ['containers without root', { apt: 'passwd', dnf: 'shadow-utils', apk: 'shadow' }],
    unshare: ['machines that lack programs', { apt: 'util-linux', dnf: 'util-linux-core', apk: 'util-linux-misc' }],
    zstd: ['layers that zstd has written', 'zstd'],
  }),

  ...neededBy('verify', {
    chromium: ['the web console', 'chromium'],
    containerd: ['the kubelet on containerd', 'containerd'],
    ctr: ['the kubelet on containerd', { apt: 'containerd', dnf: 'containerd', apk: 'containerd-ctr' }],
    debootstrap: ['both commands on a bare system', 'debootstrap'],
    git: ['both commands in a fresh clone', { apt: 'git', dnf: 'git-core', apk: 'git' }],
    systemctl: ['units of systemd', { apt: 'systemd', dnf: 'systemd' }],
    'systemd-analyze': ['units of systemd', { apt: 'systemd', dnf: 'systemd' }],
    tar: ['upgrades', 'tar'],
  }),
};

/**
 * Upstream's components, for the tests of test/interchange. No package has them; K8TS_UPSTREAM_BIN names the folders where
 * they are.
 */
export const UPSTREAM_PROGRAMS = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-proxy',
  'kube-scheduler',
  'kubelet',
  'sample-apiserver',
];

/**
 * @param {Command} command
 * @param {Readonly<Record<string, Row>>} rows
 * @returns {Record<string, Program>}
 */
function neededBy(command, rows) {
  return Object.fromEntries(
    Object.entries(rows).map(([name, [purpose, packages, files]]) => [
      name,
      {
        command,
        purpose,
        packages: typeof packages === 'string' ? { apt: packages, dnf: packages, apk: packages } : packages,
        ...(files === undefined ? {} : { files }),
      },
    ]),
  );
}
