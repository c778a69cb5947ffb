/** The profile `cis`: what the CIS Kubernetes Benchmark asks for beyond the defaults. docs/cis.md has every recommendation. */
import type { ApiServerOptions } from '../../apiserver/index.ts';
import type { DEFAULT_CONFIG as CONTROLLER_MANAGER_DEFAULTS } from '../../controller-manager/index.ts';
import type { KubeletConfig } from '../../kubelet/index.ts';

export const PROFILES = ['cis'] as const;
export type Profile = (typeof PROFILES)[number];

/** 4.2.1, 4.2.2, 4.2.5, 4.2.12 to 4.2.14 */
export const CIS_KUBELET = {
  authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
  authorization: { mode: 'Webhook' },
  streamingConnectionIdleTimeout: 5 * 60_000,
  tlsMinVersion: 'VersionTLS13',
  podPidsLimit: 4096,
  seccompDefault: true,
} as const satisfies Partial<KubeletConfig>;

/** 1.3.1 */
export const CIS_CONTROLLER_MANAGER = {
  terminatedPodGcThreshold: 1000,
} as const satisfies Partial<typeof CONTROLLER_MANAGER_DEFAULTS>;

/** Health checks of load balancers, and what a machine reads before it joins: it is signed, and public. */
const ANONYMOUS_PATHS = ['/livez', '/readyz', '/healthz', '/api/v1/namespaces/kube-public/configmaps/cluster-info'];

/** Components in these run what the machine runs. */
const SYSTEM_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease'];

/** 1.2.1, 1.2.3, 1.2.5, 1.2.9, 1.2.29, 1.2.30, 5.2 */
export const cisApiServer = (ca: string) =>
  ({
    tlsSettings: { minVersion: 'TLSv1.3' },
    authentication: { anonymous: { enabled: true, paths: ANONYMOUS_PATHS }, extendExpiration: false },
    kubelet: { ca },
    admission: {
      enable: ['DenyServiceExternalIPs', 'EventRateLimit'],
      eventRateLimit: { limits: [{ type: 'Server', qps: 5000, burst: 20_000 }] },
      podSecurity: {
        defaults: { enforce: 'restricted', audit: 'restricted', warn: 'restricted' },
        exemptions: { namespaces: SYSTEM_NAMESPACES },
      },
    },
  }) as const satisfies Partial<ApiServerOptions>;
