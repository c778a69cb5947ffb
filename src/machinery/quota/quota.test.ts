import { describe, expect, it } from 'vitest';
import type { Pod, ScopedResourceSelectorRequirement } from '../../api/generated/core-v1.ts';
import { matchesScopes, trackedNames, usageOf } from './index.ts';

const texts = (group: string, plural: string, object: unknown) =>
  Object.fromEntries([...usageOf(group, plural, object, 0)].map(([name, quantity]) => [name, quantity.toString()]));
const container = (requests: Record<string, string>, limits: Record<string, string> = {}, restartPolicy?: string) => ({
  name: 'c',
  resources: { requests, limits },
  restartPolicy,
});

describe('usageOf', () => {
  it.each<[string, Partial<Pod['spec']>, Record<string, string>]>([
    ['nothing asked for', { containers: [container({})] }, {}],
    [
      'containers together',
      { containers: [container({ cpu: '500m' }), container({ cpu: '1', memory: '1Gi' }, { cpu: '2' })] },
      { cpu: '1500m', 'requests.cpu': '1500m', memory: '1Gi', 'requests.memory': '1Gi', 'limits.cpu': '2' },
    ],
    [
      'a larger init container',
      { initContainers: [container({ cpu: '3' })], containers: [container({ cpu: '1' })] },
      { cpu: '3', 'requests.cpu': '3' },
    ],
    [
      'a sidecar beside containers',
      { initContainers: [container({ cpu: '1' }, {}, 'Always')], containers: [container({ cpu: '1' })] },
      { cpu: '2', 'requests.cpu': '2' },
    ],
    [
      'a sidecar beside a later init container',
      {
        initContainers: [container({ cpu: '1' }, {}, 'Always'), container({ cpu: '4' })],
        containers: [container({ cpu: '1' })],
      },
      { cpu: '5', 'requests.cpu': '5' },
    ],
    [
      'overhead',
      { overhead: { cpu: '100m' }, containers: [container({ cpu: '1' }, { memory: '1Gi' })] },
      { cpu: '1100m', 'requests.cpu': '1100m', 'limits.memory': '1Gi' },
    ],
    [
      'extended resources by request only',
      { containers: [container({ 'example.com/gpu': '2' }, { 'example.com/gpu': '2' })] },
      { 'requests.example.com/gpu': '2' },
    ],
  ])('of a pod: %s', (_, spec, expected) =>
    expect(texts('', 'pods', { metadata: {}, spec })).toEqual({ 'count/pods': '1', pods: '1', ...expected }),
  );

  it('of a finished pod is only its count', () =>
    expect(
      texts('', 'pods', { metadata: {}, spec: { containers: [container({ cpu: '1' })] }, status: { phase: 'Failed' } }),
    ).toEqual({ 'count/pods': '1' }));

  it.each([
    ['NodePort', { type: 'NodePort', ports: [{}, {}] }, { 'services.nodeports': '2' }],
    [
      'LoadBalancer',
      { type: 'LoadBalancer', ports: [{}] },
      { 'services.nodeports': '1', 'services.loadbalancers': '1' },
    ],
    [
      'LoadBalancer without node ports',
      { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [{}, { nodePort: 3 }] },
      { 'services.nodeports': '1', 'services.loadbalancers': '1' },
    ],
    ['ClusterIP', { type: 'ClusterIP', ports: [{}] }, { 'services.nodeports': '0' }],
  ])('of a service: %s', (_, spec, expected) =>
    expect(texts('', 'services', { metadata: {}, spec })).toEqual({
      'count/services': '1',
      services: '1',
      ...expected,
    }),
  );

  it('of a volume claim is counted by class too, with its new size', () =>
    expect(
      texts('', 'persistentvolumeclaims', {
        metadata: {},
        spec: { storageClassName: 'gold', resources: { requests: { storage: '1Gi' } } },
        status: { allocatedResources: { storage: '2Gi' } },
      }),
    ).toEqual({
      'count/persistentvolumeclaims': '1',
      persistentvolumeclaims: '1',
      'requests.storage': '2Gi',
      'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
      'gold.storageclass.storage.k8s.io/requests.storage': '2Gi',
    }));

  it('of a resource claim counts devices by class, of alternatives the most', () => {
    const requests = [
      { name: 'a', exactly: { deviceClassName: 'gpu', count: 2 } },
      {
        name: 'b',
        firstAvailable: [
          { name: 'x', deviceClassName: 'gpu', count: 3 },
          { name: 'y', deviceClassName: 'nic', allocationMode: 'All' },
        ],
      },
    ];
    expect(texts('resource.k8s.io', 'resourceclaims', { metadata: {}, spec: { devices: { requests } } })).toEqual({
      'count/resourceclaims.resource.k8s.io': '1',
      'gpu.deviceclass.resource.k8s.io/devices': '5',
      'nic.deviceclass.resource.k8s.io/devices': '32',
    });
  });
});

describe('trackedNames', () => {
  const hard = [
    'pods',
    'count/pods',
    'requests.cpu',
    'requests.storage',
    'services',
    'secrets',
    'count/deployments.apps',
    'gold.storageclass.storage.k8s.io/requests.storage',
  ];
  it.each([
    ['', 'pods', ['pods', 'count/pods', 'requests.cpu']],
    ['', 'services', ['services']],
    ['', 'secrets', ['secrets']],
    ['', 'persistentvolumeclaims', ['requests.storage', 'gold.storageclass.storage.k8s.io/requests.storage']],
    ['apps', 'deployments', ['count/deployments.apps']],
    ['apps', 'replicasets', []],
  ])('%s/%s', (group, plural, names) => expect(trackedNames(group, plural, hard)).toEqual(names));
});

describe('matchesScopes', () => {
  const scope = (scopeName: string, operator = 'Exists', values?: string[]): ScopedResourceSelectorRequirement[] => [
    { scopeName, operator, values },
  ];
  it.each<[string, ScopedResourceSelectorRequirement[], object, boolean]>([
    ['best effort', scope('BestEffort'), { containers: [container({})] }, true],
    ['not best effort', scope('NotBestEffort'), { containers: [container({}, { memory: '1' })] }, true],
    ['terminating', scope('Terminating'), { activeDeadlineSeconds: 0, containers: [] }, true],
    ['not terminating', scope('NotTerminating'), { activeDeadlineSeconds: 5, containers: [] }, false],
    ['a priority class', scope('PriorityClass', 'In', ['high']), { priorityClassName: 'high', containers: [] }, true],
    [
      'another priority class',
      scope('PriorityClass', 'NotIn', ['high']),
      { priorityClassName: 'high', containers: [] },
      false,
    ],
    ['no priority class', scope('PriorityClass', 'DoesNotExist'), { containers: [] }, true],
  ])('%s', (_, scopes, spec, expected) =>
    expect(matchesScopes('', 'pods', { metadata: {}, spec }, scopes)).toBe(expected),
  );

  it('is never about other kinds', () =>
    expect(matchesScopes('', 'configmaps', { metadata: {} }, scope('BestEffort'))).toBe(false));
});
