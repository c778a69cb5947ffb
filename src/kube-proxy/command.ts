/** The flags of the `kube-proxy` command, as upstream has them. */
import {
  contextOptions,
  flagsHelp,
  type FlagTable,
  loggingFlags,
  parseFlags,
  processFlags,
  UsageError,
} from '../flags/index.ts';
import {
  checkMode,
  DEFAULT_KUBE_PROXY_CONFIG,
  KubeProxyConfigError,
  loadKubeProxyConfiguration,
  type KubeProxyConfig,
} from './config.ts';

const NO_IPVS = 'there is no IPVS mode';
const NO_CONNTRACK = "kube-proxy does not change the kernel's conntrack settings";
const LOCAL_BY_CIDR = 'local traffic is detected by --cluster-cidr only';

export const kubeProxyFlags = {
  ...loggingFlags,
  ...processFlags,
  config: { kind: 'text', summary: 'a KubeProxyConfiguration file; other flags are then ignored' },
  kubeconfig: { kind: 'text', summary: 'how to reach the API server' },
  master: { kind: 'text', refused: 'the kubeconfig says where the API server is' },
  'hostname-override': { kind: 'text', summary: "the Node's name, if it is not the host's" },
  'proxy-mode': { kind: 'text', summary: 'nftables (default) or iptables' },
  'cluster-cidr': {
    kind: 'text',
    summary: "Pods' addresses; traffic from elsewhere to a cluster address is masqueraded",
  },
  'masquerade-all': { kind: 'switch', summary: 'masquerade all traffic to cluster addresses' },
  'iptables-masquerade-bit': {
    kind: 'whole',
    summary: 'the bit of the packet mark for packets to be masqueraded',
    default: 14,
  },
  'nodeport-addresses': {
    kind: 'texts',
    summary: 'CIDRs of the node addresses that accept NodePort traffic, or primary',
  },
  'healthz-bind-address': {
    kind: 'text',
    summary: 'where /healthz is served',
    default: DEFAULT_KUBE_PROXY_CONFIG.healthzBindAddress,
  },
  'metrics-bind-address': {
    kind: 'text',
    summary: 'where /metrics is served',
    default: DEFAULT_KUBE_PROXY_CONFIG.metricsBindAddress,
  },
  'iptables-min-sync-period': { kind: 'duration', summary: 'shortest time between two changes of the rules' },
  'iptables-sync-period': { kind: 'duration', summary: 'how often all rules are rewritten' },
  'detect-local-mode': { kind: 'text', only: ['ClusterCIDR'], refused: LOCAL_BY_CIDR },
  'bind-address': { kind: 'text', ignored: 'addresses come from the Node' },
  'bind-address-hard-fail': { kind: 'switch', ignored: 'a port that cannot be opened is logged' },
  cleanup: { kind: 'switch', summary: 'remove all rules and exit' },
  'init-only': { kind: 'switch', refused: 'there is no privileged initialization' },
  'config-sync-period': { kind: 'duration', ignored: 'changes come by watch' },
  'feature-gates': { kind: 'pairs', ignored: 'kube-proxy has no feature gates here' },
  'kube-api-burst': { kind: 'whole', ignored: 'the API server decides' },
  'kube-api-qps': { kind: 'number', ignored: 'the API server decides' },
  'kube-api-content-type': { kind: 'text', ignored: 'the client decides' },
  'oom-score-adj': { kind: 'whole', ignored: 'the OOM score is not changed' },
  profiling: { kind: 'switch', ignored: 'Node has its own profiler' },
  'write-config-to': { kind: 'text', refused: 'writing the default configuration is not supported' },
  'iptables-localhost-nodeports': { kind: 'switch', ignored: 'node ports do not answer on loopback' },
  'boot-id-file': { kind: 'text', ignored: 'not needed' },
  'machine-id-file': { kind: 'text', ignored: 'not needed' },
  'pod-bridge-interface': { kind: 'text', refused: LOCAL_BY_CIDR },
  'pod-interface-name-prefix': { kind: 'text', refused: LOCAL_BY_CIDR },
  'show-hidden-metrics-for-version': { kind: 'text', ignored: 'there are no hidden metrics' },
  ...Object.fromEntries(
    ['conntrack-max-per-core', 'conntrack-min'].map((name) => [
      name,
      { kind: 'whole', ignored: NO_CONNTRACK } as const,
    ]),
  ),
  ...Object.fromEntries(
    ['tcp-timeout-close-wait', 'tcp-timeout-established', 'udp-timeout', 'udp-timeout-stream'].map((name) => [
      `conntrack-${name}`,
      { kind: 'duration', ignored: NO_CONNTRACK } as const,
    ]),
  ),
  'conntrack-tcp-be-liberal': { kind: 'switch', ignored: NO_CONNTRACK },
  ...Object.fromEntries(
    ['min-sync-period', 'sync-period', 'tcp-timeout', 'tcpfin-timeout', 'udp-timeout'].map((name) => [
      `ipvs-${name}`,
      { kind: 'duration', ignored: NO_IPVS } as const,
    ]),
  ),
  'ipvs-scheduler': { kind: 'text', ignored: NO_IPVS },
  'ipvs-exclude-cidrs': { kind: 'texts', ignored: NO_IPVS },
  'ipvs-strict-arp': { kind: 'switch', ignored: NO_IPVS },
} as const satisfies FlagTable;

export const kubeProxyHelp = (): string =>
  flagsHelp(kubeProxyFlags, { usage: 'kube-proxy: forwards traffic for Services to their endpoints' });

interface ParsedKubeProxyFlags {
  readonly help: boolean;
  readonly warnings: readonly string[];
  readonly cleanUp: boolean;
  readonly context: ReturnType<typeof contextOptions>;
  /** Builds the configuration from the --config file if there is one, else from the flags. */
  config(readFile: (path: string) => string): KubeProxyConfig;
}

export function parseKubeProxyFlags(argv: readonly string[]): ParsedKubeProxyFlags {
  const { values, help, warnings } = parseFlags(argv, kubeProxyFlags);
  return {
    help,
    warnings,
    cleanUp: values.cleanup ?? false,
    context: contextOptions(values),
    config: (readFile) => {
      try {
        if (values.config) return loadKubeProxyConfiguration(readFile(values.config));
        const mode = checkMode(values['proxy-mode'] ?? '');
        return {
          ...DEFAULT_KUBE_PROXY_CONFIG,
          mode,
          kubeconfig: values.kubeconfig ?? '',
          hostnameOverride: values['hostname-override'] ?? '',
          clusterCidr: values['cluster-cidr'] ?? '',
          masqueradeAll: values['masquerade-all'] ?? false,
          masqueradeBit: values['iptables-masquerade-bit'],
          nodePortAddresses: values['nodeport-addresses'] ?? (mode === 'nftables' ? ['primary'] : []),
          healthzBindAddress: values['healthz-bind-address'],
          metricsBindAddress: values['metrics-bind-address'],
          minSyncPeriodMs: values['iptables-min-sync-period'] ?? DEFAULT_KUBE_PROXY_CONFIG.minSyncPeriodMs,
          syncPeriodMs: values['iptables-sync-period'] ?? DEFAULT_KUBE_PROXY_CONFIG.syncPeriodMs,
        };
      } catch (error) {
        if (error instanceof KubeProxyConfigError) throw new UsageError(error.message);
        throw error;
      }
    },
  };
}
