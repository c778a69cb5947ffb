/** The bootstrap ClusterRoles, and rules of others, that depend on feature gates which are off by default. */
import type { ClusterRole, ClusterRoleBinding, PolicyRule } from '../../api/generated/rbac-v1.ts';
import { featureEnabled } from '../../machinery/index.ts';
import {
  CHANGE,
  READ,
  clusterRole,
  clusterRoleBinding,
  group,
  recordEvents,
  rule,
  serviceAccount,
} from './rbac-builders.ts';
import type { Stored } from './stored.ts';

type Features = Readonly<Record<string, boolean>> | undefined;

interface GatedRules {
  readonly gate: string;
  /** Rules that roles have besides their own. */
  readonly more?: Readonly<Record<string, readonly PolicyRule[]>>;
  /** Roles of controllers, by the names of their ServiceAccounts. */
  readonly controllers?: Readonly<Record<string, readonly PolicyRule[]>>;
}

const CERTIFICATES = 'certificates.k8s.io';
const SCHEDULING = 'scheduling.k8s.io';
const DEVICES = 'resource.k8s.io';
const STORAGE_VERSIONS = 'internal.apiserver.k8s.io';
const BUNDLES = rule(READ, CERTIFICATES, 'clustertrustbundles');
/** Pods may read the trust bundles. */
const BUNDLE_DISCOVERY = 'system:cluster-trust-bundle-discovery';

const GATED: readonly GatedRules[] = [
  {
    gate: 'ClusterTrustBundle',
    more: { 'system:node': [BUNDLES] },
    controllers: {
      'kube-apiserver-serving-clustertrustbundle-publisher': [
        rule('attest', CERTIFICATES, 'signers', 'kubernetes.io/kube-apiserver-serving'),
        rule('create,delete,list,update,watch', CERTIFICATES, 'clustertrustbundles'),
        recordEvents,
      ],
    },
  },
  {
    gate: 'PodCertificateRequest',
    more: { 'system:node': [rule('create,get,list,watch', CERTIFICATES, 'podcertificaterequests')] },
    controllers: {
      podcertificaterequestcleaner: [rule('delete,get,list,watch', CERTIFICATES, 'podcertificaterequests')],
    },
  },
  {
    gate: 'GenericWorkload',
    more: {
      'system:aggregate-to-edit': [rule(CHANGE, SCHEDULING, 'podgroups,workloads')],
      'system:aggregate-to-view': [rule(READ, SCHEDULING, 'podgroups,podgroups/status,workloads')],
      'system:controller:job-controller': [rule('create,get,list,watch', SCHEDULING, 'podgroups,workloads')],
      'system:kube-scheduler': [
        rule(READ, SCHEDULING, 'podgroups'),
        rule('patch,update', SCHEDULING, 'podgroups/status'),
      ],
    },
    controllers: {
      'podgroup-protection-controller': [
        rule('get,list,update,watch', SCHEDULING, 'podgroups'),
        rule(READ, 'core', 'pods'),
      ],
    },
  },
  {
    gate: 'DRAWorkloadResourceClaims',
    more: {
      'system:controller:resource-claim-controller': [
        rule(READ, SCHEDULING, 'podgroups'),
        rule('patch,update', SCHEDULING, 'podgroups/status'),
      ],
    },
  },
  {
    gate: 'DRADeviceTaintRules',
    more: {
      'system:controller:device-taint-eviction-controller': [
        rule('patch,update', DEVICES, 'devicetaintrules/status'),
        rule(READ, DEVICES, 'devicetaintrules'),
      ],
      'system:kube-scheduler': [rule(READ, DEVICES, 'devicetaintrules')],
    },
  },
  {
    gate: 'DRAResourcePoolStatus',
    controllers: {
      'resourcepoolstatusrequest-controller': [
        rule('delete,get,list,watch', DEVICES, 'resourcepoolstatusrequests'),
        rule('patch,update', DEVICES, 'resourcepoolstatusrequests/status'),
        rule(READ, DEVICES, 'resourceslices'),
        rule(READ, DEVICES, 'resourceclaims'),
        recordEvents,
      ],
    },
  },
  {
    gate: 'StorageVersionAPI',
    controllers: {
      'storage-version-garbage-collector': [
        rule(READ, 'coordination.k8s.io', 'leases'),
        rule('delete,get,list,patch,update,watch', STORAGE_VERSIONS, 'storageversions'),
        rule('get,patch,update', STORAGE_VERSIONS, 'storageversions/status'),
      ],
    },
  },
  {
    gate: 'StorageVersionMigrator',
    controllers: {
      'storage-version-migrator-controller': [
        rule('create,list,patch', '*', '*'),
        rule('get', 'apiextensions.k8s.io', 'customresourcedefinitions'),
        rule('patch', 'apiextensions.k8s.io', 'customresourcedefinitions/status'),
        rule('update', 'storagemigration.k8s.io', 'storageversionmigrations/status'),
      ],
    },
  },
];

const enabled = (features: Features): readonly GatedRules[] =>
  GATED.filter(({ gate }) => featureEnabled(gate, features));

/** The roles with the rules that the gates add. */
export function withGatedRules(roles: readonly Stored<ClusterRole>[], features: Features): Stored<ClusterRole>[] {
  const gates = enabled(features);
  return roles.map((role) => {
    const more = gates.flatMap(({ more: rules }) => rules?.[role.metadata.name ?? ''] ?? []);
    return more.length === 0 ? role : { ...role, rules: [...(role.rules ?? []), ...more] };
  });
}

const controllersOf = (features: Features): [string, readonly PolicyRule[]][] =>
  enabled(features).flatMap(({ controllers = {} }) => Object.entries(controllers));

export const gatedRoles = (features: Features): Stored<ClusterRole>[] => [
  ...(featureEnabled('ClusterTrustBundle', features) ? [clusterRole(BUNDLE_DISCOVERY, [BUNDLES])] : []),
  ...controllersOf(features).map(([name, rules]) => clusterRole(`system:controller:${name}`, rules)),
];

export const gatedRoleBindings = (features: Features): Stored<ClusterRoleBinding>[] => [
  ...(featureEnabled('ClusterTrustBundle', features)
    ? [clusterRoleBinding(BUNDLE_DISCOVERY, [group('system:serviceaccounts')])]
    : []),
  ...controllersOf(features).map(([name]) => clusterRoleBinding(`system:controller:${name}`, [serviceAccount(name)])),
];
