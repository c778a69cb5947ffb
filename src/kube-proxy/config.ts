/** Loads a `KubeProxyConfiguration` (kubeproxy.config.k8s.io/v1alpha1) file and its defaults. */
import { parse } from 'yaml';
import { parseDuration } from '../base/index.ts';

type ProxyMode = 'nftables' | 'iptables';

export interface KubeProxyConfig {
  readonly mode: ProxyMode;
  readonly hostnameOverride: string;
  /** Comma-separated Pod CIDRs; traffic from other addresses counts as off-cluster. */
  readonly clusterCidr: string;
  readonly masqueradeAll: boolean;
  readonly masqueradeBit: number;
  /**
   * CIDRs of the node addresses that accept NodePort traffic; `primary` means the Node's own addresses, none means
   * all.
   */
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

/** The default is nftables, which every kernel since 5.13 has. */
export function checkMode(mode: string): ProxyMode {
  if (mode === '' || mode === 'nftables') return 'nftables';
  if (mode === 'iptables') return 'iptables';
  if (mode === 'ipvs') throw new KubeProxyConfigError(NO_IPVS);
  throw new KubeProxyConfigError(`mode: Unsupported value: "${mode}": supported values: "iptables", "nftables"`);
}

/** Fields that are accepted and have no effect here. */
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
  const modeFields = (fields[mode] ?? {}) as Record<string, unknown>;
  const defaults = DEFAULT_KUBE_PROXY_CONFIG;
  return {
    mode,
    hostnameOverride: textOf(fields, 'hostnameOverride'),
    clusterCidr: textOf(fields, 'clusterCIDR'),
    masqueradeAll: modeFields['masqueradeAll'] === true,
    masqueradeBit:
      typeof modeFields['masqueradeBit'] === 'number' ? modeFields['masqueradeBit'] : defaults.masqueradeBit,
    nodePortAddresses:
      Array.isArray(fields['nodePortAddresses']) && fields['nodePortAddresses'].length > 0
        ? fields['nodePortAddresses'].map(String)
        : mode === 'nftables'
          ? ['primary']
          : [],
    healthzBindAddress: textOf(fields, 'healthzBindAddress') || defaults.healthzBindAddress,
    metricsBindAddress: textOf(fields, 'metricsBindAddress') || defaults.metricsBindAddress,
    minSyncPeriodMs: durationOf(modeFields, 'minSyncPeriod') ?? defaults.minSyncPeriodMs,
    syncPeriodMs: durationOf(modeFields, 'syncPeriod') ?? defaults.syncPeriodMs,
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
  // Upstream takes 0s for the default.
  return duration === 0 ? undefined : duration;
}
