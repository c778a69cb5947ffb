import { describe, expect, it } from 'vitest';
import { packages, schema } from '../../api/index.ts';
import { apiVersionOf, type GroupVersionKind } from '../../api/schema.ts';
import { stringifyJson } from '../../base/index.ts';
import { canonicalize } from '../decode/index.ts';
import type { KubeObject } from '../object.ts';
import { objectGenerator } from '../testing/index.ts';
import { applyDefaults, pullPolicyOf } from './index.ts';
import { messageDefaults } from './registry.ts';

const kinds = packages.flatMap(({ group, version, messages }): GroupVersionKind[] =>
  Object.entries(messages).flatMap(([kind, { object }]) => (object ? [{ group, version, kind }] : [])),
);

function defaulted(apiVersion: string, kind: string, fields: object): Record<string, unknown> {
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['', apiVersion];
  const gvk = { group, version, kind };
  return applyDefaults(gvk, canonicalize(schema.kind(gvk)!, { apiVersion, kind, ...fields }) as KubeObject, {
    now: '2026-01-31T10:00:00Z',
  });
}

const podSpec = (spec: object): unknown => defaulted('v1', 'Pod', { spec })['spec'];

describe('defaults of any object', () => {
  it.each(kinds.map((gvk) => [`${apiVersionOf(gvk)} ${gvk.kind}`, gvk] as const))(
    '%s: canonical, stable, in place',
    (_, gvk) => {
      const message = schema.kind(gvk)!;
      const generate = objectGenerator(kinds.indexOf(gvk) + 77);
      for (let i = 0; i < 10; i++) {
        const object = generate.object(message, gvk) as KubeObject;
        const before = stringifyJson(object);
        const once = applyDefaults(gvk, deepFreeze(object));
        expect(stringifyJson(object)).toBe(before);
        expect(stringifyJson(canonicalize(message, once))).toBe(stringifyJson(once));
        expect(applyDefaults(gvk, once)).toStrictEqual(once);
      }
    },
  );

  it('finds the message of every function', () => {
    expect(Object.keys(messageDefaults).filter((name) => !schema.messages.has(name))).toEqual([]);
  });
});

describe('pull policy', () => {
  it.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['nginx:1.27', 'IfNotPresent'],
    ['registry.example:5000/a/b', 'Always'],
    ['registry.example:5000/a/b:v1', 'IfNotPresent'],
    [`nginx@sha256:${'a'.repeat(64)}`, 'IfNotPresent'],
    [`nginx:latest@sha256:${'a'.repeat(64)}`, 'Always'],
    ['Not A Reference', 'IfNotPresent'],
    ['', 'IfNotPresent'],
    [undefined, 'IfNotPresent'],
  ])('%s: %s', (image, policy) => {
    expect(pullPolicyOf(image)).toBe(policy);
  });
});

describe('Pod', () => {
  it('gets the defaults of containers', () => {
    expect(
      podSpec({
        containers: [
          { name: 'c', image: 'i', ports: [{ containerPort: 80 }], livenessProbe: { httpGet: { port: 80 } } },
        ],
      }),
    ).toEqual({
      containers: [
        {
          name: 'c',
          image: 'i',
          ports: [{ containerPort: 80, protocol: 'TCP' }],
          resources: {},
          livenessProbe: {
            httpGet: { path: '/', port: 80, scheme: 'HTTP' },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'Always',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
      enableServiceLinks: true,
    });
  });

  it.each([
    [
      'requests follow limits',
      { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } },
      { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m', memory: '1Gi' } },
    ],
    ['amounts are rounded up to thousandths', { requests: { cpu: '100u' } }, { requests: { cpu: '1m' } }],
  ])('container: %s', (_, resources, expected) => {
    expect(podSpec({ containers: [{ name: 'c', image: 'i', resources }] })).toMatchObject({
      containers: [{ resources: expected }],
    });
  });

  it('copies host ports from container ports on the host network', () => {
    expect(podSpec({ hostNetwork: true, containers: [{ name: 'c', ports: [{ containerPort: 80 }] }] })).toMatchObject({
      containers: [{ ports: [{ containerPort: 80, hostPort: 80 }] }],
    });
  });

  it('writes both names of its ServiceAccount', () => {
    expect(podSpec({ containers: [], serviceAccount: 'a' })).toMatchObject({
      serviceAccount: 'a',
      serviceAccountName: 'a',
    });
    expect(podSpec({ containers: [], serviceAccount: 'a', serviceAccountName: 'b' })).toMatchObject({
      serviceAccount: 'b',
      serviceAccountName: 'b',
    });
  });

  it('sums the requests of its containers, up to its limits', () => {
    const spec = {
      resources: { limits: { cpu: '2', memory: '1Gi' } },
      containers: [
        { name: 'a', resources: { requests: { cpu: '300m' } } },
        { name: 'b', resources: { requests: { cpu: '200m' } } },
      ],
    };
    expect(podSpec(spec)).toMatchObject({
      resources: { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '500m', memory: '1Gi' } },
    });
  });

  it.each([
    ['no source', { name: 'v' }, { name: 'v', emptyDir: {} }],
    [
      'secret',
      { name: 'v', secret: { secretName: 's' } },
      { name: 'v', secret: { secretName: 's', defaultMode: 420 } },
    ],
    ['host path', { name: 'v', hostPath: { path: '/x' } }, { name: 'v', hostPath: { path: '/x', type: '' } }],
    [
      'image',
      { name: 'v', image: { reference: 'a:1' } },
      { name: 'v', image: { reference: 'a:1', pullPolicy: 'IfNotPresent' } },
    ],
  ])('volume: %s', (_, volume, expected) => {
    expect(podSpec({ containers: [], volumes: [volume] })).toMatchObject({ volumes: [expected] });
  });

  it('leaves templates without defaults of Pods only', () => {
    const template = { spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '1' } } }] } };
    const { spec } = defaulted('apps/v1', 'ReplicaSet', { spec: { selector: {}, template } }) as {
      spec: { template: { spec: Record<string, unknown> } };
    };
    expect(spec.template.spec).not.toHaveProperty('enableServiceLinks');
    expect(spec.template.spec).toMatchObject({ containers: [{ resources: { limits: { cpu: '1' } } }] });
  });
});

describe('conditional defaults', () => {
  it.each<[string, string, string, object, object]>([
    [
      'a Deployment rolls by quarters',
      'apps/v1',
      'Deployment',
      { spec: { template: {} } },
      {
        spec: {
          replicas: 1,
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        },
      },
    ],
    [
      'a recreating Deployment has no rolling parameters',
      'apps/v1',
      'Deployment',
      { spec: { strategy: { type: 'Recreate' } } },
      { spec: { strategy: { type: 'Recreate' } } },
    ],
    [
      'a StatefulSet has a partition',
      'apps/v1',
      'StatefulSet',
      { spec: {} },
      {
        spec: {
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        },
      },
    ],
    [
      'claim templates know their kind',
      'apps/v1',
      'StatefulSet',
      { spec: { volumeClaimTemplates: [{ metadata: { name: 'd' } }] } },
      {
        spec: {
          volumeClaimTemplates: [
            {
              kind: 'PersistentVolumeClaim',
              apiVersion: 'v1',
              spec: { volumeMode: 'Filesystem' },
              status: { phase: 'Pending' },
            },
          ],
        },
      },
    ],
    [
      'a Job without numbers runs once',
      'batch/v1',
      'Job',
      { spec: { template: {} } },
      {
        spec: {
          completions: 1,
          parallelism: 1,
          backoffLimit: 6,
          completionMode: 'NonIndexed',
          suspend: false,
          podReplacementPolicy: 'TerminatingOrFailed',
        },
      },
    ],
    [
      'a Job with a failure policy replaces failed Pods',
      'batch/v1',
      'Job',
      { spec: { podFailurePolicy: { rules: [] }, template: {} } },
      { spec: { podReplacementPolicy: 'Failed' } },
    ],
    [
      'a limit per index lifts the limit of the Job',
      'batch/v1',
      'Job',
      { spec: { backoffLimitPerIndex: 1, template: {} } },
      { spec: { backoffLimit: 2_147_483_647 } },
    ],
    [
      'a Service maps ports to themselves',
      'v1',
      'Service',
      { spec: { ports: [{ port: 80 }] } },
      {
        spec: {
          type: 'ClusterIP',
          sessionAffinity: 'None',
          internalTrafficPolicy: 'Cluster',
          ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
        },
      },
    ],
    [
      'a load balancer allocates node ports',
      'v1',
      'Service',
      { spec: { type: 'LoadBalancer' } },
      { spec: { externalTrafficPolicy: 'Cluster', allocateLoadBalancerNodePorts: true } },
    ],
    [
      'client affinity lasts three hours',
      'v1',
      'Service',
      { spec: { sessionAffinity: 'ClientIP' } },
      { spec: { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } } } },
    ],
    [
      'stringData becomes data',
      'v1',
      'Secret',
      { data: { a: 'eA==' }, stringData: { a: 'y', b: 'z' } },
      { type: 'Opaque', data: { a: 'eQ==', b: 'eg==' } },
    ],
    [
      'a namespace carries its name',
      'v1',
      'Namespace',
      { metadata: { name: 'n' } },
      { metadata: { labels: { 'kubernetes.io/metadata.name': 'n' } }, status: { phase: 'Active' } },
    ],
    [
      'limits for containers fill each other',
      'v1',
      'LimitRange',
      { spec: { limits: [{ type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' } }] } },
      { spec: { limits: [{ default: { cpu: '2' }, defaultRequest: { cpu: '2', memory: '1Mi' } }] } },
    ],
    [
      'a node can allocate its capacity',
      'v1',
      'Node',
      { status: { capacity: { cpu: '4' } } },
      { status: { allocatable: { cpu: '4' } } },
    ],
    [
      'a policy with egress rules is about egress',
      'networking.k8s.io/v1',
      'NetworkPolicy',
      { spec: { podSelector: {}, egress: [{}] } },
      { spec: { policyTypes: ['Ingress', 'Egress'] } },
    ],
    [
      'an autoscaler watches the CPU',
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      { spec: { maxReplicas: 2 } },
      {
        spec: {
          minReplicas: 1,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
          ],
        },
      },
    ],
    [
      'behaviour is filled in when there is some',
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      { spec: { behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } } },
      {
        spec: {
          behavior: {
            scaleDown: { stabilizationWindowSeconds: 60, selectPolicy: 'Max' },
            scaleUp: { stabilizationWindowSeconds: 0 },
          },
        },
      },
    ],
    [
      'users are of the RBAC group',
      'rbac.authorization.k8s.io/v1',
      'RoleBinding',
      {
        subjects: [
          { kind: 'User', name: 'u' },
          { kind: 'ServiceAccount', name: 's' },
        ],
        roleRef: { kind: 'Role', name: 'r' },
      },
      {
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io' }, { kind: 'ServiceAccount', name: 's' }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io' },
      },
    ],
    [
      'a definition names its list and singular',
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
      { spec: { names: { plural: 'foos', kind: 'Foo' }, versions: [{ name: 'v1', storage: true }] } },
      {
        spec: { names: { singular: 'foo', listKind: 'FooList' }, conversion: { strategy: 'None' } },
        status: { storedVersions: ['v1'] },
      },
    ],
    [
      'a taint on a device records when',
      'resource.k8s.io/v1',
      'ResourceSlice',
      { spec: { devices: [{ name: 'd', taints: [{ key: 'k', effect: 'NoSchedule' }] }] } },
      { spec: { devices: [{ taints: [{ timeAdded: '2026-01-31T10:00:00Z' }] }] } },
    ],
    [
      'one device unless all are asked for',
      'resource.k8s.io/v1',
      'ResourceClaim',
      { spec: { devices: { requests: [{ name: 'a', exactly: {} }] } } },
      { spec: { devices: { requests: [{ exactly: { allocationMode: 'ExactCount', count: 1 } }] } } },
    ],
  ])('%s', (_, apiVersion, kind, fields, expected) => {
    expect(defaulted(apiVersion, kind, fields)).toMatchObject(expected);
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
