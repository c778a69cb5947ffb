/** Names of kube-proxy's iptables chains. They are upstream's, because people look for them in `iptables-save`. */
import { createHash } from 'node:crypto';
import { base32 } from '../../base/index.ts';
import type { EndpointAddress, ServicePlan } from '../../component-helpers/index.ts';

export const NAT_CHAINS = ['KUBE-SERVICES', 'KUBE-NODEPORTS', 'KUBE-POSTROUTING', 'KUBE-MARK-MASQ'] as const;
export const FILTER_CHAINS = [
  'KUBE-SERVICES',
  'KUBE-EXTERNAL-SERVICES',
  'KUBE-NODEPORTS',
  'KUBE-FORWARD',
  'KUBE-PROXY-FIREWALL',
] as const;

/** The rules of built-in chains that jump to kube-proxy's chains. */
export const JUMPS: readonly { table: 'nat' | 'filter'; from: string; rule: readonly string[] }[] = [
  {
    table: 'nat',
    from: 'PREROUTING',
    rule: ['-m', 'comment', '--comment', 'kubernetes service portals', '-j', 'KUBE-SERVICES'],
  },
  {
    table: 'nat',
    from: 'OUTPUT',
    rule: ['-m', 'comment', '--comment', 'kubernetes service portals', '-j', 'KUBE-SERVICES'],
  },
  {
    table: 'nat',
    from: 'POSTROUTING',
    rule: ['-m', 'comment', '--comment', 'kubernetes postrouting rules', '-j', 'KUBE-POSTROUTING'],
  },
  ...['INPUT', 'FORWARD', 'OUTPUT'].map((from) => ({
    table: 'filter' as const,
    from,
    rule: [
      '-m',
      'conntrack',
      '--ctstate',
      'NEW',
      '-m',
      'comment',
      '--comment',
      'kubernetes load balancer firewall',
      '-j',
      'KUBE-PROXY-FIREWALL',
    ],
  })),
  ...['FORWARD', 'OUTPUT'].map((from) => ({
    table: 'filter' as const,
    from,
    rule: [
      '-m',
      'conntrack',
      '--ctstate',
      'NEW',
      '-m',
      'comment',
      '--comment',
      'kubernetes service portals',
      '-j',
      'KUBE-SERVICES',
    ],
  })),
  ...['INPUT', 'FORWARD'].map((from) => ({
    table: 'filter' as const,
    from,
    rule: [
      '-m',
      'conntrack',
      '--ctstate',
      'NEW',
      '-m',
      'comment',
      '--comment',
      'kubernetes externally-visible service portals',
      '-j',
      'KUBE-EXTERNAL-SERVICES',
    ],
  })),
  {
    table: 'filter',
    from: 'INPUT',
    rule: ['-m', 'comment', '--comment', 'kubernetes health check service ports', '-j', 'KUBE-NODEPORTS'],
  },
  {
    table: 'filter',
    from: 'FORWARD',
    rule: ['-m', 'comment', '--comment', 'kubernetes forwarding rules', '-j', 'KUBE-FORWARD'],
  },
];

/** Matches the chains of single Services, which kube-proxy creates and deletes. */
export const SERVICE_CHAIN = /^KUBE-(?:SVC|SVL|EXT|FW|SEP)-/;

export const clusterChain = (plan: ServicePlan): string => `KUBE-SVC-${hash(plan.name + plan.protocol)}`;
export const localChain = (plan: ServicePlan): string => `KUBE-SVL-${hash(plan.name + plan.protocol)}`;
export const externalChain = (plan: ServicePlan): string => `KUBE-EXT-${hash(plan.name + plan.protocol)}`;
export const firewallChain = (plan: ServicePlan): string => `KUBE-FW-${hash(plan.name + plan.protocol)}`;
export const endpointChain = (plan: ServicePlan, { ip, port }: EndpointAddress): string =>
  `KUBE-SEP-${hash(`${plan.name}${plan.protocol}${ip}:${port}`)}`;

/** Sixteen characters of base 32, because a chain name has at most 28 characters. */
const hash = (text: string): string => base32(createHash('sha256').update(text).digest()).slice(0, 16);
