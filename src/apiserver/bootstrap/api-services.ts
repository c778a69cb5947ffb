/** The APIServices of the built-in group versions. */
import type { APIService } from '../../api/generated/apiregistration-v1.ts';
import type { Stored } from './stored.ts';

/** Clients list groups and versions in the order of these priorities. */
const LOCAL_GROUP_VERSIONS: readonly (readonly [
  group: string,
  version: string,
  groupPriority: number,
  versionPriority: number,
])[] = [
  ['', 'v1', 18000, 1],
  ['apps', 'v1', 17800, 15],
  ['events.k8s.io', 'v1', 17750, 15],
  ['authentication.k8s.io', 'v1', 17700, 15],
  ['authorization.k8s.io', 'v1', 17600, 15],
  ['autoscaling', 'v2', 17500, 30],
  ['autoscaling', 'v1', 17500, 15],
  ['batch', 'v1', 17400, 15],
  ['certificates.k8s.io', 'v1', 17300, 15],
  ['certificates.k8s.io', 'v1beta1', 17300, 9],
  ['certificates.k8s.io', 'v1alpha1', 17300, 1],
  ['networking.k8s.io', 'v1', 17200, 15],
  ['networking.k8s.io', 'v1beta1', 17200, 9],
  ['policy', 'v1', 17100, 15],
  ['rbac.authorization.k8s.io', 'v1', 17000, 15],
  ['storage.k8s.io', 'v1', 16800, 15],
  ['storage.k8s.io', 'v1beta1', 16800, 9],
  ['admissionregistration.k8s.io', 'v1', 16700, 15],
  ['admissionregistration.k8s.io', 'v1beta1', 16700, 12],
  ['admissionregistration.k8s.io', 'v1alpha1', 16700, 9],
  ['apiextensions.k8s.io', 'v1', 16700, 15],
  ['scheduling.k8s.io', 'v1', 16600, 15],
  ['scheduling.k8s.io', 'v1alpha2', 16600, 2],
  ['coordination.k8s.io', 'v1', 16500, 15],
  ['coordination.k8s.io', 'v1beta1', 16500, 13],
  ['coordination.k8s.io', 'v1alpha2', 16500, 12],
  ['node.k8s.io', 'v1', 16300, 15],
  ['discovery.k8s.io', 'v1', 16200, 15],
  ['resource.k8s.io', 'v1', 16200, 21],
  ['resource.k8s.io', 'v1beta2', 16200, 15],
  ['resource.k8s.io', 'v1beta1', 16200, 9],
  ['resource.k8s.io', 'v1alpha3', 16200, 1],
  ['flowcontrol.apiserver.k8s.io', 'v1', 16100, 21],
  ['internal.apiserver.k8s.io', 'v1alpha1', 16000, 9],
  ['storagemigration.k8s.io', 'v1beta1', 15800, 9],
];

type Serves = (group: string, version: string) => boolean;

/** The names of those that are served: `v1.apps`; that of the core group is `v1.`. */
export const localAPIServiceNames = (serves: Serves): string[] =>
  LOCAL_GROUP_VERSIONS.filter(([group, version]) => serves(group, version)).map(
    ([group, version]) => `${version}.${group}`,
  );

/** `now` is the transition time of their Available condition. */
export const localAPIServices = (now: string, serves: Serves): Stored<APIService>[] =>
  LOCAL_GROUP_VERSIONS.filter(([group, version]) => serves(group, version)).map(
    ([group, version, groupPriorityMinimum, versionPriority]) => ({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `${version}.${group}`, labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
      spec: { ...(group === '' ? {} : { group }), version, groupPriorityMinimum, versionPriority },
      status: {
        conditions: [
          {
            type: 'Available',
            status: 'True',
            lastTransitionTime: now,
            reason: 'Local',
            message: 'Local APIServices are always available',
          },
        ],
      },
    }),
  );
