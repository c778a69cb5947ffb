/** `KubeProxyConfiguration` of kubeproxy.config.k8s.io/v1alpha1, as far as it changes something here. */
import { parse } from 'yaml';
import { parseDuration } from '../base/index.ts';

type ProxyMode = 'nftables' | 'iptables';

export interface KubeProxyConfig {
  readonly mode: ProxyMode;
  readonly hostnameOverride: string;
  /** Pods' addresses, a list with commas; off-cluster traffic is told from it. */
  readonly clusterCidr: string;
  readonly masqueradeAll: boolean;
  readonly masqueradeBit: number;
  /** CIDRs of the node addresses that take node ports; `primary` for the Node's own addresses; all addresses when empty. */
  readonly nodePortAddresses: readonly string[];
  /** `address:port`, '' for none. */
  readonly healthzBindAddress: string;
  readonly metricsBindAddress: string;
  readonly minSyncPeriodMs: number;
  readonly syncPeriodMs: number;
  readonly kubeconfig: string;
}

export const DEFAULT_KUBE_PROXY_CONFIG: KubeProxyConfig = {
  mode: 'nftables',
  hostnameOverride: '',
  clusterCidr: '',
  masqueradeAll: false,
  masqueradeBit: 14,
  nodePortAddresses: ['primary'],
  healthzBindAddress: '0.0.0.0:10256',
  metricsBindAddress: '127.0.0.1:10249',
  minSyncPeriodMs: 10,
  syncPeriodMs: 3_600_000,
  kubeconfig: '',
};

export class KubeProxyConfigError extends Error {
  override readonly name = 'KubeProxyConfigError';
  readonly code = 'config';
}

const NO_IPVS =
  'proxy mode "ipvs" is not available: this kernel interface is deprecated upstream and needs the ip_vs modules; use nftables or iptables';

/** '' and what upstream calls the best available are nftables, which every kernel since 5.13 has. */
export function checkMode(mode: string): ProxyMode {
  if (mode === '' || mode === 'nftables') return 'nftables';
  if (mode === 'iptables') return 'iptables';
  if (mode === 'ipvs') throw new KubeProxyConfigError(NO_IPVS);
  throw new KubeProxyConfigError(`mode: Unsupported value: "${mode}": supported values: "iptables", "nftables"`);
}

/** Fields of the file that are known: those that count here, and those that tune what we do not have. */
const IGNORED = new Set([
  'apiVersion',
  'kind',
  'featureGates',
  'bindAddress',
  'bindAddressHardFail',
  'enableProfiling',
  'showHiddenMetricsForVersion',
  'logging',
  'ipvs',
  'winkernel',
  'conntrack',
  'configSyncPeriod',
  'oomScoreAdj',
  'detectLocal',
  'portRange',
  'windowsRunAsService',
  'linux',
  'windows',
]);

export function loadKubeProxyConfiguration(text: string): KubeProxyConfig {
  const document: unknown = parse(text);
  if (typeof document !== 'object' || document === null)
    throw new KubeProxyConfigError('the configuration is not an object');
  const fields = document as Record<string, unknown>;
  if (fields['kind'] !== 'KubeProxyConfiguration' || fields['apiVersion'] !== 'kubeproxy.config.k8s.io/v1alpha1') {
    throw new KubeProxyConfigError(
      `no kind "${String(fields['kind'])}" is registered for version "${String(fields['apiVersion'])}"; KubeProxyConfiguration of kubeproxy.config.k8s.io/v1alpha1 is expected`,
    );
  }
  const known = new Set([
    ...IGNORED,
    'mode',
    'hostnameOverride',
    'clusterCIDR',
    'iptables',
    'nftables',
    'nodePortAddresses',
    'healthzBindAddress',
    'metricsBindAddress',
    'clientConnection',
  ]);
  for (const name of Object.keys(fields))
    if (!known.has(name)) throw new KubeProxyConfigError(`strict decoding error: unknown field "${name}"`);
  const mode = checkMode(textOf(fields, 'mode'));
  const ofMode = (fields[mode] ?? {}) as Record<string, unknown>;
  const defaults = DEFAULT_KUBE_PROXY_CONFIG;
  return {
    mode,
    hostnameOverride: textOf(fields, 'hostnameOverride'),
    clusterCidr: textOf(fields, 'clusterCIDR'),
    masqueradeAll: ofMode['masqueradeAll'] === true,
    masqueradeBit: typeof ofMode['masqueradeBit'] === 'number' ? ofMode['masqueradeBit'] : defaults.masqueradeBit,
    nodePortAddresses:
      Array.isArray(fields['nodePortAddresses']) && fields['nodePortAddresses'].length > 0
        ? fields['nodePortAddresses'].map(String)
        : mode === 'nftables'
          ? ['primary']
          : [],
    healthzBindAddress: textOf(fields, 'healthzBindAddress') || defaults.healthzBindAddress,
    metricsBindAddress: textOf(fields, 'metricsBindAddress') || defaults.metricsBindAddress,
    minSyncPeriodMs: durationOf(ofMode, 'minSyncPeriod') ?? defaults.minSyncPeriodMs,
    syncPeriodMs: durationOf(ofMode, 'syncPeriod') ?? defaults.syncPeriodMs,
    kubeconfig: textOf((fields['clientConnection'] ?? {}) as Record<string, unknown>, 'kubeconfig'),
  };
}

function textOf(fields: Record<string, unknown>, name: string): string {
  const value = fields[name] ?? '';
  if (typeof value !== 'string') throw new KubeProxyConfigError(`${name}: Invalid value: must be a string`);
  return value;
}

function durationOf(fields: Record<string, unknown>, name: string): number | undefined {
  const text = textOf(fields, name);
  const duration = text === '' ? undefined : parseDuration(text);
  // Upstream's files often say 0s for "the default".
  return duration === 0 ? undefined : duration;
}
