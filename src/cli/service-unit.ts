/** The systemd units of k8ts: a server (`k8ts up`) or a machine that has joined one (`k8ts join`). */

export interface ServiceUnit {
  readonly command: 'up' | 'join';
  /** Node and the program: `/usr/bin/node /usr/lib/node_modules/k8ts/bin/k8ts`. */
  readonly program: readonly string[];
  readonly config: string;
  readonly dataDirectory: string;
  /** Whether containers run below it. Without them the service can be confined. */
  readonly runsContainers: boolean;
}

/** The first line of a unit of ours. */
export const WRITTEN_BY = '# Written by "k8ts service install"';

const DESCRIPTION = { up: 'Kubernetes cluster of k8ts', join: 'Kubernetes node of k8ts' } as const;

export function serviceUnit({ command, program, config, dataDirectory, runsContainers }: ServiceUnit): string {
  return `${WRITTEN_BY}; a drop-in (systemctl edit) survives the next one.
[Unit]
Description=${DESCRIPTION[command]}
Documentation=man:k8ts(1)
After=network-online.target time-sync.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=main
ExecStart=${[...program, command, '--config', config].map(quoted).join(' ')}
# A start waits for images, etcd or the server, and the watchdog begins when it is ready.
TimeoutStartSec=10min
TimeoutStopSec=90s
WatchdogSec=2min
Restart=always
RestartSec=2s
# Containers run on while the service restarts: only its own process is ended.
KillMode=process
Delegate=yes
OOMScoreAdjust=-999
LimitNOFILE=1048576
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
UMask=0077
KeyringMode=private
${runsContainers ? FOR_CONTAINERS : confined(dataDirectory)}

[Install]
WantedBy=multi-user.target
`;
}

const FOR_CONTAINERS = `# No ProtectSystem=, PrivateTmp= and others that need a mount namespace: mounts of containers must outlive the service.
# No NoNewPrivileges=, SystemCallFilter= and others that containers would inherit.
ExecStartPre=-/sbin/modprobe -a overlay br_netfilter vxlan nf_conntrack`;

const confined = (dataDirectory: string): string => `NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=${quoted(dataDirectory)}
ProtectHome=read-only
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
CapabilityBoundingSet=CAP_NET_BIND_SERVICE`;

/** As systemd.service(5) asks for: `%` begins a specifier, `$` a variable. */
function quoted(word: string): string {
  const escaped = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(escaped) ? escaped : `"${escaped.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
