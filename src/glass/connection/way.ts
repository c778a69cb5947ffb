/** What the steps of a connection's way share. */
import type { Pod, ServicePort } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { longRunningContainers } from '../../component-helpers/index.ts';
import type { ConnectionStep } from '../answers.ts';
import type { Reader } from '../why/reader.ts';
import type { KernelSteps } from './kernel-steps.ts';
import type { ConnectionPolicies } from './policies.ts';

export interface Way {
  readonly reader: Reader;
  /** The pod that connects. */
  readonly source: Pod;
  readonly protocol: string;
  readonly kernel: KernelSteps;
  readonly policies: ConnectionPolicies;
  /** Those that were walked so far. */
  readonly steps: ConnectionStep[];
}

/** More endpoints than this are not looked at. */
export const MAX_ENDPOINTS = 10;

export const portText = ({ name, port, protocol = 'TCP' }: ServicePort): string =>
  `${protocol} port ${port}${name ? ` (${name})` : ''}`;

export const portsOf = (pod: Pod): NonNullable<ReturnType<typeof longRunningContainers>[number]['ports']> =>
  longRunningContainers(pod.spec).flatMap(({ ports }) => ports ?? []);

export const slicesOf = ({ reader }: Way, namespace: string, name: string): Promise<EndpointSlice[]> =>
  reader.list('discovery.k8s.io/v1/endpointslices', {
    namespace,
    labelSelector: `kubernetes.io/service-name=${name}`,
  });

/** False if one is, and true if both are. */
export const and = (a: boolean | undefined, b: boolean | undefined): boolean | undefined =>
  a === false || b === false ? false : a === undefined || b === undefined ? undefined : true;
