/** The pods of a Service, for Endpoints and EndpointSlices, and the Services that a pod concerns. */
import { isIPv6 } from 'node:net';
import type { Pod, Service, ServicePort } from '../../api/generated/core-v1.ts';
import { deepEqual, ownValue } from '../../base/index.ts';
import { byNamespace, keyOf, NAMESPACE_INDEX, type InformerFactory, type SharedInformer } from '../../client/index.ts';
import { isPodReady, isPodTerminal, longRunningContainers } from '../../component-helpers/index.ts';
import { watch, type Watch } from '../controller.ts';
import { labelsMatcherOf } from '../selector-matchers.ts';

export const HEADLESS_LABEL = 'service.kubernetes.io/headless';
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

export const isHeadless = (service: Service): boolean =>
  (service.spec?.clusterIP ?? '') === '' || service.spec?.clusterIP === 'None';

/** ExternalName Services and Services without a selector have no managed endpoints. */
export const hasSelectedPods = (service: Service): boolean =>
  service.spec?.type !== 'ExternalName' && Object.keys(service.spec?.selector ?? {}).length > 0;

export const isIPv6Address = (address: string): boolean => isIPv6(address);

export const addressesOf = (pod: Pod, ipv6: boolean): string[] =>
  (pod.status?.podIPs ?? []).map(({ ip }) => ip ?? '').filter((ip) => ip !== '' && isIPv6Address(ip) === ipv6);

export function canServe(pod: Pod, includeTerminating: boolean): boolean {
  if (isPodTerminal(pod) || (!pod.status?.podIP && !pod.status?.podIPs?.length)) return false;
  return includeTerminating || pod.metadata.deletionTimestamp === undefined;
}

/** The pod's hostname in a Service's subdomain. */
export function hostnameIn(pod: Pod, service: Service): string | undefined {
  const { hostname, subdomain } = pod.spec ?? {};
  return hostname && subdomain === service.metadata.name ? hostname : undefined;
}

/** The number of a Service's targetPort on a pod; undefined when the pod has no port of that name. */
export function targetPortOn(pod: Pod, port: ServicePort): number | undefined {
  const target = port.targetPort;
  if (typeof target === 'number') return target === 0 ? port.port : target;
  if (target === undefined || target === '') return port.port;
  for (const container of longRunningContainers(pod.spec)) {
    const found = container.ports?.find((p) => p.name === target && (p.protocol ?? 'TCP') === (port.protocol ?? 'TCP'));
    if (found) return found.containerPort;
  }
  return undefined;
}

/** Whether an update of a pod does not matter to endpoints; most status updates do not. */
function isSameEndpoint(before: Pod, after: Pod): boolean {
  return (
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    before.metadata.uid === after.metadata.uid &&
    before.spec?.nodeName === after.spec?.nodeName &&
    before.spec?.hostname === after.spec?.hostname &&
    before.spec?.subdomain === after.spec?.subdomain &&
    before.status?.podIP === after.status?.podIP &&
    isPodTerminal(before) === isPodTerminal(after) &&
    isPodReady(before) === isPodReady(after) &&
    deepEqual(before.status?.podIPs, after.status?.podIPs) &&
    deepEqual(before.metadata.labels, after.metadata.labels)
  );
}

export interface ServicesOfPods {
  readonly services: SharedInformer<Service>;
  readonly pods: SharedInformer<Pod>;
  podsOf(service: Service): Pod[];
  /** The keys of the Services whose selector matches a pod. */
  servicesOf(pod: Pod): string[];
}

const PODS_BY_LABEL = 'label';
const SERVICES_BY_LABEL = 'selectedLabel';
/** Labels that differ from pod to pod, or that Services do not select by, and that are not worth an index. */
const UNINDEXED = new Set([
  'pod-template-hash',
  'controller-revision-hash',
  'pod-template-generation',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
]);

const placeOf = (namespace: string | undefined, label: string, value: string): string =>
  `${namespace ?? ''}/${label}=${value}`;

function placesOf({ metadata: { namespace, labels } }: Pod): string[] {
  const places: string[] = [];
  for (const label in labels)
    if (!UNINDEXED.has(label)) places.push(placeOf(namespace, label, ownValue(labels, label)!));
  return places;
}

/** The index value of a Service: one of the labels of its selector. */
function placeOfService(service: Service): string | undefined {
  if (!hasSelectedPods(service)) return undefined;
  const { selector = {} } = service.spec ?? {};
  const label = Object.keys(selector).find((key) => !UNINDEXED.has(key));
  return label === undefined ? undefined : placeOf(service.metadata.namespace, label, selector[label]!);
}

/** Services that select only by unindexed labels are indexed by their namespace. */
const placeOfSelector = (service: Service): string[] =>
  hasSelectedPods(service) ? [placeOfService(service) ?? service.metadata.namespace ?? ''] : [];

export function servicesOfPods(informers: InformerFactory): ServicesOfPods {
  const services = informers.informer('v1/services', {}, { [SERVICES_BY_LABEL]: placeOfSelector });
  const pods = informers.informer('v1/pods', {}, { [NAMESPACE_INDEX]: byNamespace, [PODS_BY_LABEL]: placesOf });
  const selects = (service: Service, pod: Pod): boolean =>
    hasSelectedPods(service) && labelsMatcherOf(service.spec?.selector).matches(pod.metadata.labels ?? {});
  return {
    services,
    pods,
    podsOf: (service) => {
      const place = placeOfService(service);
      const near =
        place === undefined
          ? pods.indexer.byIndex(NAMESPACE_INDEX, service.metadata.namespace ?? '')
          : pods.indexer.byIndex(PODS_BY_LABEL, place);
      return near.filter((pod) => selects(service, pod));
    },
    servicesOf: (pod) => {
      const keys: string[] = [];
      for (const place of [...placesOf(pod), pod.metadata.namespace ?? '']) {
        for (const service of services.indexer.byIndex(SERVICES_BY_LABEL, place))
          if (selects(service, pod)) keys.push(keyOf(service));
      }
      return keys;
    },
  };
}

/** The Services that a change of a pod concerns; none when it does not matter to endpoints. */
export function watchServicesOfPods({ pods, servicesOf }: ServicesOfPods): Watch {
  return watch(pods, {
    added: servicesOf,
    updated: (before, after) => {
      if (isSameEndpoint(before, after)) return [];
      const isRelabeled = !deepEqual(before.metadata.labels, after.metadata.labels);
      return isRelabeled ? [...servicesOf(before), ...servicesOf(after)] : servicesOf(after);
    },
    deleted: servicesOf,
  });
}
