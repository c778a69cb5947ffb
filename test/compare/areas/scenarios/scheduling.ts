/** The scheduler: why a pod has no node, who is preempted, which devices a claim gets; and eviction by taints. */
import type { Step } from '../../conversation.ts';
import type { Random } from '../../random.ts';
import { CORE, create, events, node, OWN_NODES, patch, podSpec, remove, seen, type Scenario } from './steps.ts';

const pod = (name: string, more: object = {}): Step =>
  create(`${CORE}/pods`, { metadata: { name, labels: { app: name } }, spec: podSpec({ ...OWN_NODES, ...more }) });
const removeNodes = (...names: string[]): Step[] => names.map((name) => remove(`/api/v1/nodes/${name}`));
const cpu = (amount: string): object => ({ container: { resources: { requests: { cpu: amount } } } });

const term = (key: string): object => ({ topologyKey: key, labelSelector: { matchLabels: { app: 'first' } } });
const DEMANDS: Readonly<Record<string, (random: Random) => object>> = {
  resources: (random) => cpu(random.pick(['100', '3900m'])),
  memory: () => ({ container: { resources: { requests: { memory: '100Gi', 'example.com/gpu': '1' } } } }),
  selector: () => ({ nodeSelector: { own: '$RUN', none: 'such' } }),
  affinity: () => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['none'] }] }],
        },
      },
    },
  }),
  'pod affinity': () => ({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('none')] } },
  }),
  'anti-affinity': () => ({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('own')] } },
  }),
  ports: () => ({ container: { ports: [{ containerPort: 80, hostPort: 8080 }] } }),
  spread: () => ({
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'missing', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
    ],
  }),
  claim: () => ({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'absent' } }] }),
  'resource claim': () => ({ resourceClaims: [{ name: 'c', resourceClaimName: 'absent' }] }),
  'claim template': () => ({ resourceClaims: [{ name: 'c', resourceClaimTemplateName: 'absent' }] }),
  gates: () => ({ schedulingGates: [{ name: 'example.com/wait' }] }),
  class: () => ({ priorityClassName: 'system-node-critical', preemptionPolicy: 'Never', ...cpu('50') }),
  scheduler: () => ({ schedulerName: 'nobody' }),
};

export const unschedulable: Scenario = (random) => {
  const demands = random.shuffled(Object.entries(DEMANDS)).slice(0, 6);
  const names = ['n1-$RUN', 'n2-$RUN', 'n3-$RUN'];
  return {
    steps: [
      ...names.flatMap((name, i) => node(name, { labels: { zone: `z${i}` }, allocatable: { cpu: String(2 + i) } })),
      patch(`/api/v1/nodes/${names[0]}`, { spec: { unschedulable: true } }),
      patch(`/api/v1/nodes/${names[1]}`, { spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] } }),
      { method: 'GET', path: `/api/v1/nodes/${names[1]}`, setup: true, settleMs: 800 },
      pod('first', { container: { ports: [{ containerPort: 80, hostPort: 8080 }] } }),
      seen(`${CORE}/pods/first`),
      ...demands.flatMap(([name, demand]) => {
        const called = name.replace(' ', '-');
        return [pod(called, demand(random)), { ...seen(`${CORE}/pods/${called}`), about: name }];
      }),
      events(1500),
    ],
    cleanup: removeNodes(...names),
  };
};

export const preemption: Scenario = (random) => {
  const priorities = '/apis/scheduling.k8s.io/v1/priorityclasses';
  const classes = ['low', 'high'].map((name, i) =>
    create(priorities, { metadata: { name: `${name}-$RUN` }, value: (i + 1) * 1000 }),
  );
  const victims = random.pick([1, 2]);
  const hold = random.chance(0.5);
  return {
    steps: [
      ...classes,
      ...node('n1-$RUN', { allocatable: { cpu: '2' } }),
      ...(random.chance(0.5) ? node('n2-$RUN', { allocatable: { cpu: '1' } }) : []),
      ...Array.from({ length: victims }, (_, i) => [
        create(`${CORE}/pods`, {
          metadata: { name: `low-${i}`, labels: { app: 'low' }, ...(hold ? { finalizers: ['example.com/hold'] } : {}) },
          spec: podSpec({ ...OWN_NODES, priorityClassName: 'low-$RUN', ...cpu(victims === 1 ? '1500m' : '1') }),
        }),
        seen(`${CORE}/pods/low-${i}`),
      ]).flat(),
      ...(random.chance(0.4)
        ? [
            create('/apis/policy/v1/namespaces/$NS/poddisruptionbudgets', {
              metadata: { name: 'p' },
              spec: { minAvailable: 1, selector: { matchLabels: { app: 'low' } } },
            }),
          ]
        : []),
      pod('high', { priorityClassName: 'high-$RUN', ...cpu('2') }),
      seen(`${CORE}/pods`, 2500),
      events(),
    ],
    cleanup: [
      ...Array.from({ length: victims }, (_, i) => patch(`${CORE}/pods/low-${i}`, { metadata: { finalizers: null } })),
      ...removeNodes('n1-$RUN', 'n2-$RUN'),
      ...['low', 'high'].map((name) => remove(`${priorities}/${name}-$RUN`)),
    ],
  };
};

export const evictions: Scenario = (random) => {
  const taint = (more: object): Step =>
    patch('/api/v1/nodes/n1-$RUN', { spec: { taints: [{ key: 'k', effect: 'NoExecute', ...more }] } });
  return {
    steps: [
      ...node('n1-$RUN'),
      create(`${CORE}/pods`, {
        metadata: { name: 'held', finalizers: ['example.com/hold'] },
        spec: podSpec({ ...OWN_NODES }),
      }),
      pod('tolerant', {
        tolerations: [{ key: 'k', operator: 'Exists', ...(random.chance(0.5) ? {} : { tolerationSeconds: 300 }) }],
      }),
      seen(`${CORE}/pods`),
      taint(random.chance(0.5) ? { value: 'v' } : {}),
      seen(`${CORE}/pods`, 2500),
      seen('/api/v1/nodes/n1-$RUN'),
      events(),
    ],
    cleanup: [patch(`${CORE}/pods/held`, { metadata: { finalizers: null } }), ...removeNodes('n1-$RUN')],
  };
};

export const claims: Scenario = (random) => {
  const group = '/apis/resource.k8s.io/v1';
  const devices = ['d1', 'd2'].map((name) => ({
    name,
    attributes: { model: { string: name }, size: { int: 5 } },
    capacity: { memory: { value: '8Gi' } },
  }));
  const exactly = {
    deviceClassName: '$RUN.example.com',
    ...random.pick<object>([
      {},
      { count: 2, allocationMode: 'ExactCount' },
      { count: 3, allocationMode: 'ExactCount' },
      { allocationMode: 'All' },
      { selectors: [{ cel: { expression: 'device.attributes["$RUN.example.com"].model == "d2"' } }] },
      { selectors: [{ cel: { expression: 'device.attributes["$RUN.example.com"].absent == "x"' } }] },
      { adminAccess: true },
    ]),
  };
  const claim = { devices: { requests: [{ name: 'r', exactly }] } };
  const withClaim = (name: string): Step =>
    pod(name, {
      resourceClaims: [{ name: 'c', resourceClaimName: 'c' }],
      container: { resources: { claims: [{ name: 'c' }] } },
    });
  return {
    steps: [
      ...node('n1-$RUN'),
      create(`${group}/deviceclasses`, {
        metadata: { name: '$RUN.example.com' },
        spec: { selectors: [{ cel: { expression: 'device.driver == "$RUN.example.com"' } }] },
      }),
      withClaim('early'),
      seen(`${CORE}/pods/early`),
      { ...create(`${group}/namespaces/$NS/resourceclaims`, { metadata: { name: 'c' }, spec: claim }), about: 'claim' },
      seen(`${CORE}/pods/early`, 2500),
      create(`${group}/resourceslices`, {
        metadata: { name: '$RUN-slice' },
        spec: {
          ...{ driver: '$RUN.example.com', nodeName: 'n1-$RUN', devices },
          pool: { name: 'n1-$RUN', generation: 1, resourceSliceCount: 1 },
        },
      }),
      seen(`${CORE}/pods/early`, 2500),
      seen(`${group}/namespaces/$NS/resourceclaims`),
      create(`${group}/namespaces/$NS/resourceclaimtemplates`, { metadata: { name: 't' }, spec: { spec: claim } }),
      pod('late', { resourceClaims: [{ name: 'c', resourceClaimTemplateName: 't' }] }),
      seen(`${CORE}/pods/late`, 2500),
      seen(`${group}/namespaces/$NS/resourceclaims`),
      events(),
    ],
    cleanup: [
      ...removeNodes('n1-$RUN'),
      remove(`${group}/deviceclasses/$RUN.example.com`),
      remove(`${group}/resourceslices/$RUN-slice`),
    ],
  };
};
