/** Autoscalers, Services and their endpoints, namespaces, quotas and volumes. */
import type { Step } from '../../conversation.ts';
import {
  APPS,
  CORE,
  create,
  events,
  node,
  OWN_NODES,
  patch,
  podSpec,
  remove,
  seen,
  SELECTOR,
  template,
  type Scenario,
} from './steps.ts';

const NOBODY = { schedulerName: 'nobody' };

export const autoscaling: Scenario = (random) => {
  const group = (version: string): string => `/apis/autoscaling/${version}/namespaces/$NS/horizontalpodautoscalers`;
  const target = { type: 'Utilization', averageUtilization: 50 };
  const metric = random.pick<object>([
    { type: 'Resource', resource: { name: 'cpu', target } },
    { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', target } },
    { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } } },
    { type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } },
  ]);
  const replicas = random.pick([0, 1, 3, 9]);
  return {
    steps: [
      create(`${APPS}/deployments`, {
        metadata: { name: 'd' },
        spec: { replicas, selector: SELECTOR, template: template(NOBODY) },
      }),
      seen(`${APPS}/deployments/d`),
      create(group('v2'), {
        metadata: { name: 'h' },
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: random.pick(['d', 'd', 'd', 'absent']) },
          ...{ minReplicas: 2, maxReplicas: 5, metrics: [metric] },
        },
      }),
      seen(`${group('v2')}/h`, 3000),
      seen(`${group('v1')}/h`),
      seen(`${APPS}/deployments/d`),
      events(),
    ],
  };
};

export const endpoints: Scenario = (random) => {
  const ports = random.shuffled([
    { name: 'http', port: 80, targetPort: 'web' },
    { name: 'metrics', port: 9000 },
    { name: 'dns', port: 53, protocol: 'UDP' },
    { name: 'admin', port: 8080, targetPort: 'admin', appProtocol: 'example.com/x' },
  ]);
  const address = (name: string, ip: string, ready: boolean): Step[] => [
    create(`${CORE}/pods`, {
      metadata: { name, labels: { app: 'a' } },
      spec: podSpec({
        ...{ nodeName: 'n1-$RUN', hostname: name, subdomain: 's' },
        container: {
          ports: [
            { name: 'web', containerPort: 8000 },
            { name: 'admin', containerPort: 8001 },
          ],
        },
      }),
    }),
    patch(`${CORE}/pods/${name}/status`, {
      status: {
        ...{ phase: 'Running', podIP: ip, podIPs: [{ ip }] },
        conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      },
    }),
  ];
  const more = random.pick<object>([
    {},
    { clusterIP: 'None' },
    { publishNotReadyAddresses: true },
    { type: 'NodePort' },
    { trafficDistribution: 'PreferClose' },
  ]);
  const slices = '/apis/discovery.k8s.io/v1/namespaces/$NS/endpointslices';
  return {
    steps: [
      ...node('n1-$RUN', { labels: { 'topology.kubernetes.io/zone': 'z' } }),
      create(`${CORE}/services`, { metadata: { name: 's' }, spec: { selector: { app: 'a' }, ports, ...more } }),
      seen(`${CORE}/endpoints`),
      ...address('one', '10.1.0.1', true),
      ...address('two', '10.1.0.2', false),
      seen(`${CORE}/endpoints`),
      seen(slices),
      patch(`${CORE}/pods/one/status`, {
        status: { phase: 'Failed', conditions: [{ type: 'Ready', status: 'False' }] },
      }),
      seen(`${CORE}/endpoints`),
      seen(slices),
      create(`${CORE}/endpoints`, {
        metadata: { name: 'own' },
        subsets: [
          {
            addresses: [{ ip: '10.2.0.1' }],
            ports: [
              { port: 81, name: 'b' },
              { port: 80, name: 'a' },
            ],
          },
        ],
      }),
      create(`${CORE}/services`, { metadata: { name: 'own' }, spec: { ports: [{ port: 80 }] } }),
      seen(slices),
      events(),
    ],
    cleanup: [remove('/api/v1/nodes/n1-$RUN')],
  };
};

export const namespaces: Scenario = (random) => {
  const path = '/api/v1/namespaces/x-$RUN';
  const held = { metadata: { name: 'held', finalizers: ['example.com/hold'] } };
  return {
    steps: [
      create('/api/v1/namespaces', { metadata: { name: 'x-$RUN' } }),
      seen(path),
      seen(`${path}/serviceaccounts`),
      create(`${path}/configmaps`, held),
      ...(random.chance(0.5) ? [create(`${path}/secrets`, held)] : []),
      create(`${path}/pods`, { metadata: { name: 'p' }, spec: podSpec(NOBODY) }),
      remove(path),
      // The namespace controller waits for five seconds before it begins.
      { ...seen(path, 6500), about: 'terminating' },
      { method: 'POST', path: `${path}/configmaps`, body: { metadata: { name: 'late' } } },
      patch(`${path}/configmaps/held`, { metadata: { finalizers: null } }),
      patch(`${path}/secrets/held`, { metadata: { finalizers: null } }),
    ],
  };
};

export const quotas: Scenario = (random) => {
  const hard = Object.fromEntries(
    random.some(
      [
        ['pods', '2'],
        ['requests.cpu', '1'],
        ['limits.memory', '1Gi'],
        ['count/configmaps', '5'],
        ['services.nodeports', '1'],
        ['secrets', '1'],
        ['requests.storage', '5Gi'],
        ['count/deployments.apps', '1'],
      ],
      0.6,
    ),
  );
  const scopes = random.pick<object>([{}, { scopes: ['BestEffort'] }, { scopes: ['NotTerminating'] }]);
  return {
    steps: [
      create(`${CORE}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { pods: '2', ...hard } } }),
      create(`${CORE}/resourcequotas`, { metadata: { name: 'scoped' }, spec: { hard: { pods: '1' }, ...scopes } }),
      seen(`${CORE}/resourcequotas`),
      create(`${APPS}/replicasets`, {
        metadata: { name: 'r' },
        spec: {
          ...{ replicas: 3, selector: SELECTOR },
          template: template({
            ...NOBODY,
            container: { resources: { requests: { cpu: '300m' }, limits: { memory: '1Gi' } } },
          }),
        },
      }),
      seen(`${APPS}/replicasets/r`),
      seen(`${CORE}/resourcequotas`),
      create(`${CORE}/services`, { metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } }),
      remove(`${APPS}/replicasets/r`, { propagationPolicy: 'Background' }),
      seen(`${CORE}/pods`),
      seen(`${CORE}/resourcequotas`, 2500),
      events(),
    ],
  };
};

export const volumes: Scenario = (random) => {
  const classes = '/apis/storage.k8s.io/v1/storageclasses';
  const claim = (name: string, more: object): Step =>
    create(`${CORE}/persistentvolumeclaims`, {
      metadata: { name },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
    });
  const late = random.chance(0.5);
  return {
    steps: [
      create(classes, {
        metadata: { name: 'c-$RUN' },
        provisioner: 'example.com/p',
        ...(late ? { volumeBindingMode: 'WaitForFirstConsumer' } : {}),
      }),
      create('/api/v1/persistentvolumes', {
        metadata: { name: 'v-$RUN', labels: { own: '$RUN' } },
        spec: {
          ...{ capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/srv' } },
          ...{
            storageClassName: 's-$RUN',
            persistentVolumeReclaimPolicy: random.pick(['Retain', 'Delete', 'Recycle']),
          },
        },
      }),
      claim('bound', { storageClassName: 's-$RUN' }),
      claim('waiting', { storageClassName: 'c-$RUN' }),
      claim('classless', { storageClassName: '' }),
      claim('absent', { storageClassName: 'absent-$RUN' }),
      seen(`${CORE}/persistentvolumeclaims`, 2500),
      seen('/api/v1/persistentvolumes/v-$RUN'),
      ...node('n1-$RUN'),
      create(`${CORE}/pods`, {
        metadata: { name: 'p' },
        spec: podSpec({ ...OWN_NODES, volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'waiting' } }] }),
      }),
      seen(`${CORE}/pods/p`, 2500),
      seen(`${CORE}/persistentvolumeclaims`),
      remove(`${CORE}/persistentvolumeclaims/bound`),
      seen('/api/v1/persistentvolumes/v-$RUN', 2500),
      events(),
    ],
    cleanup: [remove('/api/v1/nodes/n1-$RUN'), remove('/api/v1/persistentvolumes/v-$RUN'), remove(`${classes}/c-$RUN`)],
  };
};
