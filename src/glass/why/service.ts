/** Why a Service has no endpoints. */
import type { Pod, Service, ServicePort } from '../../api/generated/core-v1.ts';
import { editDistance, ownValue } from '../../base/index.ts';
import { controllerOf } from '../../client/index.ts';
import { allContainers, isPodReady, isPodTerminal } from '../../component-helpers/index.ts';
import { selectorFromLabels } from '../../machinery/selectors/index.ts';
import type { Cause, Explanation, Subject } from '../answers.ts';
import { healthy, unhealthy } from './explanation.ts';
import { explainPod } from './pod.ts';
import type { Reader } from './reader.ts';
import { finalizerCauses } from './terminating.ts';

const MAX_PODS = 3;

export async function explainService(reader: Reader, service: Service): Promise<Explanation> {
  const { metadata, spec } = service;
  const [namespace, name] = [metadata.namespace ?? '', metadata.name ?? ''];
  const subject: Subject = { kind: 'Service', namespace, name };
  if (metadata.deletionTimestamp) return unhealthy(subject, 'Terminating', finalizerCauses(service));
  if (spec?.type === 'ExternalName') return healthy(subject, `an alias of ${spec.externalName}`);
  const slices = await reader.list('discovery.k8s.io/v1/endpointslices', {
    namespace,
    labelSelector: `kubernetes.io/service-name=${name}`,
  });
  // A slice without ports is one whose target port no pod has, unless the Service itself has none.
  const ready = slices
    .filter(({ ports }) => ports?.length || !spec?.ports?.length)
    .flatMap(({ endpoints }) => (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false));
  const causes = [...(ready.length === 0 ? await endpointCauses(reader, service) : []), ...addressCauses(service)];
  const state = ready.length === 0 ? 'no ready endpoints' : `${ready.length} ready endpoints`;
  return causes.length === 0 ? healthy(subject, state) : unhealthy(subject, state, causes);
}

function addressCauses({ spec, status }: Service): Cause[] {
  if (spec?.type !== 'LoadBalancer' || status?.loadBalancer?.ingress?.length) return [];
  return [
    {
      reason: 'NoLoadBalancer',
      message: 'no cloud controller has given it an address',
      remedy: 'see that a cloud controller manager or another load balancer controller runs',
    },
  ];
}

async function endpointCauses(reader: Reader, service: Service): Promise<Cause[]> {
  const { metadata, spec } = service;
  const namespace = metadata.namespace ?? '';
  const selector = Object.entries(spec?.selector ?? {});
  if (selector.length === 0)
    return [
      {
        reason: 'NoSelector',
        message: 'it has no selector, so no controller creates endpoints for it',
        remedy: 'set spec.selector, or create EndpointSlices with the label kubernetes.io/service-name',
      },
    ];
  const pods = (await reader.list('v1/pods', { namespace })).filter((pod) => !isPodTerminal(pod));
  const matcher = selectorFromLabels(spec?.selector);
  const selected = pods.filter((pod) => matcher.matches(pod.metadata.labels ?? {}));
  const text = selector.map(([key, value]) => `${key}=${value}`).join(',');
  if (selected.length === 0) return [nothingSelected(namespace, text, nearest(pods, selector))];
  const unready = selected.filter((pod) => !isPodReady(pod));
  if (unready.length === selected.length) return [await noneReady(reader, selected)];
  return portCauses(spec?.ports ?? [], selected);
}

function nothingSelected(namespace: string, selector: string, near: readonly string[]): Cause {
  return {
    reason: 'NothingSelected',
    message: `its selector ${selector} matches no pod in namespace ${namespace}`,
    evidence: near,
    remedy: "make the Service's selector and the labels of the pods agree",
  };
}

/** Pods that have a part of the labels, or other values of them. */
function nearest(pods: readonly Pod[], selector: readonly [string, string][]): string[] {
  return pods
    .map((pod) => {
      const labels = pod.metadata.labels ?? {};
      const wrong = selector.filter(([key, value]) => ownValue(labels, key) !== value);
      const related =
        selector.length - wrong.length + wrong.filter(([key]) => ownValue(labels, key) !== undefined).length / 2;
      // A typing error is the likeliest cause.
      const distance = wrong.reduce((sum, [key, value]) => sum + editDistance(ownValue(labels, key) ?? '', value), 0);
      return { pod, labels, wrong, related, distance };
    })
    .filter(({ related }) => related > 0)
    .sort((a, b) => b.related - a.related || a.distance - b.distance)
    .filter(({ pod }, i, all) => {
      const owner = controllerOf(pod)?.uid;
      return owner === undefined || all.findIndex((other) => controllerOf(other.pod)?.uid === owner) === i;
    })
    .slice(0, MAX_PODS)
    .map(({ pod, labels, wrong }) => {
      const differences = wrong.map(([key, value]) => {
        const own = ownValue(labels, key);
        return own === undefined ? `no label ${key}` : `${key}=${own}, not ${value}`;
      });
      return `pod ${pod.metadata.name} has ${differences.join(' and ')}`;
    });
}

async function noneReady(reader: Reader, selected: readonly Pod[]): Promise<Cause> {
  const because: Explanation[] = [];
  for (const pod of selected.slice(0, MAX_PODS))
    because.push(
      ...(await reader.because(`pods/${pod.metadata.namespace}/${pod.metadata.name}`, () => explainPod(reader, pod))),
    );
  return {
    reason: 'PodsNotReady',
    message:
      selected.length === 1
        ? 'it selects 1 pod, which is not ready'
        : `it selects ${selected.length} pods, and none of them is ready`,
    because,
  };
}

/** A target port by name that no container has. */
function portCauses(ports: readonly ServicePort[], pods: readonly Pod[]): Cause[] {
  return ports.flatMap(({ port, targetPort }) => {
    if (typeof targetPort !== 'string') return [];
    const named = pods.flatMap(({ spec }) => allContainers(spec).flatMap((container) => container.ports ?? []));
    if (named.some(({ name }) => name === targetPort)) return [];
    const known = [...new Set(named.flatMap(({ name }) => name ?? []))];
    return [
      {
        reason: 'NoSuchPort',
        message: `port ${port} goes to the container port "${targetPort}", which no selected pod has`,
        ...(known.length > 0 ? { evidence: [`they have the ports ${known.join(', ')}`] } : {}),
        remedy: `name a container port "${targetPort}", or change the target port`,
      },
    ];
  });
}
