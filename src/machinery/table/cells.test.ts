import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import type { KubeObject } from '../object.ts';
import type { Cell } from './index.ts';
import { tablePrinter } from './index.ts';

const now = Date.parse('2026-02-01T00:00:00Z');
const HOUR_AGO = '2026-01-31T23:00:00Z';

interface Case {
  readonly name: string;
  /** `group/version/plural`. */
  readonly of: string;
  readonly metadata?: Record<string, unknown>;
  readonly object: Record<string, unknown>;
  /** Without the name in front. */
  readonly cells: Cell[];
}

const template = {
  spec: {
    containers: [
      { name: 'a', image: 'one' },
      { name: 'b', image: 'two' },
    ],
  },
};
const selector = {
  matchLabels: { app: 'x' },
  matchExpressions: [
    { key: 'aa', operator: 'NotIn', values: ['z', 'y'] },
    { key: 'b', operator: 'Exists' },
  ],
};
const selectorText = 'aa notin (y,z),app=x,b';

const cases: Case[] = [
  {
    name: 'deployment',
    of: 'apps/v1/deployments',
    object: {
      spec: { replicas: 3, selector, template },
      status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
    },
    cells: ['1/3', 2, 1, '60m', 'a,b', 'one,two', selectorText],
  },
  {
    name: 'daemon set without node selector',
    of: 'apps/v1/daemonsets',
    object: { spec: { template }, status: { desiredNumberScheduled: 3, currentNumberScheduled: 2, numberReady: 1 } },
    cells: [3, 2, 1, 0, 0, '<none>', '60m', 'a,b', 'one,two', '<none>'],
  },
  {
    name: 'controller revision',
    of: 'apps/v1/controllerrevisions',
    metadata: {
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u', controller: true }],
    },
    object: { revision: 2 },
    cells: ['statefulset.apps/web', 2, '60m'],
  },
  {
    name: 'job that waits for any of three',
    of: 'batch/v1/jobs',
    object: {
      spec: { parallelism: 3, template, selector: {} },
      status: { succeeded: 1, startTime: HOUR_AGO, completionTime: '2026-01-31T23:00:42Z' },
    },
    cells: ['Running', '1/1 of 3', '42s', '60m', 'a,b', 'one,two', '<none>'],
  },
  {
    name: 'job that failed while being deleted',
    of: 'batch/v1/jobs',
    metadata: { deletionTimestamp: HOUR_AGO },
    object: { spec: { completions: 2, template }, status: { conditions: [{ type: 'Failed', status: 'True' }] } },
    cells: ['Failed', '0/2', '', '60m', 'a,b', 'one,two', '<none>'],
  },
  {
    name: 'cron job',
    of: 'batch/v1/cronjobs',
    object: {
      spec: { schedule: '@daily', suspend: false, jobTemplate: { spec: { template } } },
      status: { active: [{}], lastScheduleTime: '2026-01-31T23:58:00Z' },
    },
    cells: ['@daily', '<none>', 'False', 1, '2m', '60m', 'a,b', 'one,two', '<none>'],
  },
  {
    name: 'autoscaler with more metrics than are shown',
    of: 'autoscaling/v2/horizontalpodautoscalers',
    object: {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'web' },
        maxReplicas: 9,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
          {
            type: 'External',
            external: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '30' } },
          },
          { type: 'Pods', pods: { metric: { name: 'p' }, target: { type: 'AverageValue', averageValue: '1' } } },
        ],
      },
      status: {
        currentReplicas: 2,
        currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 33 } } }],
      },
    },
    cells: ['Deployment/web', 'cpu: 33%/60%, <unknown>/30 (avg) + 1 more...', '<unset>', 9, 2, '60m'],
  },
  {
    name: 'service of a node port',
    of: '/v1/services',
    object: {
      spec: {
        type: 'NodePort',
        clusterIPs: ['10.96.0.9'],
        ports: [
          { port: 80, nodePort: 30080, protocol: 'TCP' },
          { port: 53, protocol: 'UDP' },
        ],
      },
    },
    cells: ['NodePort', '10.96.0.9', '<none>', '80:30080/TCP,53/UDP', '60m', '<none>'],
  },
  {
    name: 'service of a load balancer',
    of: '/v1/services',
    object: {
      spec: {
        type: 'LoadBalancer',
        clusterIPs: ['10.96.0.9'],
        externalIPs: ['192.0.2.1'],
        selector: { b: '2', a: '1' },
      },
      status: { loadBalancer: { ingress: [{ hostname: 'lb.example.com' }, { ip: '198.51.100.7' }] } },
    },
    cells: ['LoadBalancer', '10.96.0.9', '198.51.100.7,lb.example.com,192.0.2.1', '<none>', '60m', 'a=1,b=2'],
  },
  {
    name: 'service of a load balancer that has no address yet',
    of: '/v1/services',
    object: { spec: { type: 'LoadBalancer', clusterIPs: ['10.96.0.9'], ports: [{ port: 80, protocol: 'TCP' }] } },
    cells: ['LoadBalancer', '10.96.0.9', '<pending>', '80/TCP', '60m', '<none>'],
  },
  {
    name: 'service of an external name',
    of: '/v1/services',
    object: { spec: { type: 'ExternalName', externalName: 'db.example.com' } },
    cells: ['ExternalName', '<none>', 'db.example.com', '<none>', '60m', '<none>'],
  },
  {
    name: 'endpoints',
    of: '/v1/endpoints',
    object: { subsets: [{ addresses: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], ports: [{ port: 80 }, { port: 443 }] }] },
    cells: ['10.0.0.1:80,[fd00::1]:80,10.0.0.1:443 + 1 more...', '60m'],
  },
  {
    name: 'endpoint slice',
    of: 'discovery.k8s.io/v1/endpointslices',
    object: {
      addressType: 'IPv4',
      ports: [{ port: 80 }, { name: 'any' }, {}],
      endpoints: [{ addresses: ['10.0.0.1'] }, { addresses: ['10.0.0.2'] }],
    },
    cells: ['IPv4', '80,any,*', '10.0.0.1,10.0.0.2', '60m'],
  },
  {
    name: 'node that takes no pods',
    of: '/v1/nodes',
    metadata: { labels: { 'node-role.kubernetes.io/control-plane': '', 'kubernetes.io/role': 'worker' } },
    object: {
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'Unknown' }],
        addresses: [{ type: 'InternalIP', address: '10.0.0.4' }],
        nodeInfo: {
          kubeletVersion: 'v1.36.4',
          osImage: 'Debian',
          kernelVersion: '6.1',
          containerRuntimeVersion: '',
          architecture: 'arm64',
        },
      },
    },
    cells: [
      'NotReady,SchedulingDisabled',
      'control-plane,worker',
      '60m',
      'v1.36.4',
      '10.0.0.4',
      '<none>',
      'Debian',
      '6.1 (arm64)',
      '<unknown>',
    ],
  },
  {
    name: 'claim that has a volume',
    of: '/v1/persistentvolumeclaims',
    object: {
      spec: { volumeName: 'pv', storageClassName: 'fast', volumeMode: 'Block' },
      status: { phase: 'Bound', capacity: { storage: '5Gi' }, accessModes: ['ReadWriteMany', 'ReadWriteOnce'] },
    },
    cells: ['Bound', 'pv', '5Gi', 'RWO,RWX', 'fast', '<unset>', '60m', 'Block'],
  },
  {
    name: 'volume that is being deleted',
    of: '/v1/persistentvolumes',
    metadata: { deletionTimestamp: HOUR_AGO },
    object: {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOncePod'],
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef: { namespace: 'ns', name: 'c' },
      },
      status: { phase: 'Bound' },
    },
    cells: ['1Gi', 'RWOP', 'Retain', 'Terminating', 'ns/c', '', '<unset>', '', '60m', '<unset>'],
  },
  {
    name: 'quota',
    of: '/v1/resourcequotas',
    object: { status: { hard: { pods: '4', 'limits.cpu': '2' }, used: { pods: '1' } } },
    cells: ['pods: 1/4', 'limits.cpu: 0/2', '60m'],
  },
  {
    name: 'ingress with more hosts than are shown',
    of: 'networking.k8s.io/v1/ingresses',
    object: { spec: { rules: [{ host: 'a' }, { host: 'b' }, { host: 'c' }, { host: 'd' }], tls: [{}] } },
    cells: ['<none>', 'a,b,c + 1 more...', '', '80, 443', '60m'],
  },
  {
    name: 'ingress class with parameters',
    of: 'networking.k8s.io/v1/ingressclasses',
    object: { spec: { controller: 'x/y', parameters: { apiGroup: 'k.example.com', kind: 'P', name: 'p' } } },
    cells: ['x/y', 'P.k.example.com/p', '60m'],
  },
  {
    name: 'address of a service',
    of: 'networking.k8s.io/v1/ipaddresses',
    object: { spec: { parentRef: { resource: 'services', namespace: 'default', name: 'kubernetes' } } },
    cells: ['services/default/kubernetes'],
  },
  {
    name: 'default storage class',
    of: 'storage.k8s.io/v1/storageclasses',
    metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    object: { provisioner: 'x' },
    cells: ['x', 'Delete', 'Immediate', false, '60m'],
  },
  {
    name: 'role binding',
    of: 'rbac.authorization.k8s.io/v1/rolebindings',
    object: {
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'User', name: 'v' },
        { kind: 'Group', name: 'g' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ],
    },
    cells: ['Role/r', '60m', 'u, v', 'g', 'n/s'],
  },
  {
    name: 'signed certificate',
    of: 'certificates.k8s.io/v1/certificatesigningrequests',
    object: {
      spec: { signerName: 'x/y', username: 'u', expirationSeconds: 3600 },
      status: { conditions: [{ type: 'Approved' }], certificate: 'eA==' },
    },
    cells: ['60m', 'x/y', 'u', '60m', 'Approved,Issued'],
  },
  {
    name: 'API service that does not answer',
    of: 'apiregistration.k8s.io/v1/apiservices',
    object: {
      spec: { service: { namespace: 'n', name: 's' } },
      status: { conditions: [{ type: 'Available', status: 'False', reason: 'MissingEndpoints' }] },
    },
    cells: ['n/s', 'False (MissingEndpoints)', '60m'],
  },
  {
    name: 'policy binding that selects its parameters',
    of: 'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    object: { spec: { policyName: 'p', paramRef: { selector: { matchLabels: { a: 'b' } } } } },
    cells: [
      'p',
      '&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},}',
      '60m',
    ],
  },
  {
    name: 'claim of devices in use',
    of: 'resource.k8s.io/v1/resourceclaims',
    metadata: { deletionTimestamp: HOUR_AGO },
    object: { status: { allocation: {}, reservedFor: [{}] } },
    cells: ['deleted,allocated,reserved', '60m'],
  },
  {
    name: 'budget',
    of: 'policy/v1/poddisruptionbudgets',
    object: { spec: { maxUnavailable: '50%' }, status: { disruptionsAllowed: 2 } },
    cells: ['N/A', '50%', 2, '60m'],
  },
];

describe('cells', () => {
  it.each(cases)('$name', ({ of, metadata, object, cells }) => {
    const [group = '', version = '', plural = ''] = of.split('/');
    const resource = schema.resource(group, version, plural)!;
    const whole = {
      apiVersion: 'x',
      kind: resource.kind,
      metadata: { name: 'n', creationTimestamp: HOUR_AGO, ...metadata },
      ...object,
    };
    const [name, ...rest] = tablePrinter(resource).cells(whole as KubeObject, now);
    expect(name).toMatch(/^n( \(default\))?$/);
    expect(rest).toEqual(cells);
  });
});

describe('events', () => {
  const core = tablePrinter(schema.resource('', 'v1', 'events')!);
  const event = (fields: object): KubeObject =>
    ({ apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' }, involvedObject: {}, ...fields }) as KubeObject;

  it.each([
    { name: 'no time', fields: {}, lastSeen: '<unknown>', firstSeen: '<unknown>', count: 1 },
    {
      name: 'first and last',
      fields: { firstTimestamp: HOUR_AGO, lastTimestamp: '2026-01-31T23:59:00Z', count: 4 },
      lastSeen: '60s',
      firstSeen: '60m',
      count: 4,
    },
    {
      name: 'one time',
      fields: { eventTime: '2026-01-31T23:58:00.000000Z' },
      lastSeen: '2m',
      firstSeen: '2m',
      count: 1,
    },
    {
      name: 'a series',
      fields: {
        eventTime: '2026-01-31T23:58:00.000000Z',
        series: { count: 7, lastObservedTime: '2026-01-31T23:59:30.000000Z' },
      },
      lastSeen: '30s',
      firstSeen: '2m',
      count: 7,
    },
  ])('$name', ({ fields, lastSeen, firstSeen, count }) => {
    const cells = core.cells(event(fields), now);
    expect([cells[0], cells[7], cells[8], cells[9]]).toEqual([lastSeen, firstSeen, count, 'e']);
  });

  it('are the same in both groups', () => {
    const source = { component: 'kubelet', host: 'n' };
    const object = { kind: 'Pod', name: 'p', fieldPath: 'spec' };
    const old = core.cells(
      event({ involvedObject: object, message: ' m ', source, firstTimestamp: HOUR_AGO, count: 2 }),
      now,
    );
    const fields = {
      regarding: object,
      note: ' m ',
      deprecatedSource: source,
      deprecatedFirstTimestamp: HOUR_AGO,
      deprecatedCount: 2,
    };
    const cells = tablePrinter(schema.resource('events.k8s.io', 'v1', 'events')!).cells(event(fields), now);
    expect(cells).toEqual(old);
    expect(cells.slice(3, 7)).toEqual(['pod/p', 'spec', 'kubelet, n', 'm']);
  });
});
