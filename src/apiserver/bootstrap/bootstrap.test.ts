import { describe, expect, test } from 'vitest';
import { packages, schema } from '../../api/index.ts';
import * as bootstrap from './index.ts';

const roleNames = bootstrap.allClusterRoles().map(({ metadata }) => metadata.name);
const findRole = (name: string) => bootstrap.allClusterRoles().find(({ metadata }) => metadata.name === name);

describe('the set', () => {
  test.each([
    ['ClusterRoles', bootstrap.allClusterRoles(), 69],
    ['ClusterRoleBindings', bootstrap.allClusterRoleBindings(), 50],
    ['Roles', bootstrap.namespacedRoles(), 7],
    ['RoleBindings', bootstrap.namespacedRoleBindings(), 7],
    ['Namespaces', bootstrap.namespaces(), 4],
    ['PriorityClasses', bootstrap.priorityClasses(), 2],
    ['PriorityLevelConfigurations', bootstrap.priorityLevels(), 8],
    ['FlowSchemas', bootstrap.flowSchemas(), 11],
    ['APIServices', bootstrap.localAPIServices('2026-01-01T00:00:00Z', () => true), 35],
  ])('has all %s, each name once', (_, objects, count) => {
    const names = objects.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`);
    expect(new Set(names).size).toBe(count);
    expect(names).toHaveLength(count);
  });

  test('has objects of declared kinds with declared fields only', () => {
    const objects = [
      ...bootstrap.allClusterRoles(),
      ...bootstrap.flowSchemas(),
      ...bootstrap.priorityLevels(),
      ...bootstrap.namespaces(),
    ];
    for (const { apiVersion, kind, ...fields } of objects) {
      const [version = '', group = ''] = apiVersion.split('/').reverse();
      const message = schema.kind({ group, version, kind });
      expect(Object.keys(fields).filter((name) => !message?.byName.has(name))).toEqual([]);
    }
  });

  test('is built by each call', () => {
    for (const role of bootstrap.allClusterRoles()) role.rules?.[0]?.verbs.push('escalate');
    expect(findRole('system:kube-dns')?.rules).toEqual([
      { verbs: ['list', 'watch'], apiGroups: [''], resources: ['endpoints', 'services'] },
    ]);
  });
});

describe('RBAC', () => {
  test('writes rules out', () => {
    expect(findRole('system:certificates.k8s.io:kubelet-serving-approver')).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: {
        name: 'system:certificates.k8s.io:kubelet-serving-approver',
        labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
        annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
      },
      rules: [
        {
          verbs: ['approve'],
          apiGroups: ['certificates.k8s.io'],
          resources: ['signers'],
          resourceNames: ['kubernetes.io/kubelet-serving'],
        },
      ],
    });
    expect(findRole('cluster-admin')?.rules).toEqual([
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ]);
  });

  test.each([
    ['view', ['system:aggregate-to-view']],
    ['edit', ['system:aggregate-to-edit', 'view']],
    ['admin', ['edit', 'system:aggregate-to-admin']],
  ])('%s aggregates roles by label and has no rules of its own', (name, parts) => {
    const role = findRole(name);
    expect(role?.rules).toBeUndefined();
    const label = Object.keys(role?.aggregationRule?.clusterRoleSelectors?.[0]?.matchLabels ?? {})[0] ?? '';
    const labelled = bootstrap.allClusterRoles().filter(({ metadata }) => metadata.labels?.[label] === 'true');
    expect(new Set(labelled.map(({ metadata }) => metadata.name))).toEqual(new Set(parts));
  });

  test('binds each controller to the role of its name', () => {
    const binding = bootstrap
      .allClusterRoleBindings()
      .find(({ metadata }) => metadata.name === 'system:controller:job-controller');
    expect(binding?.roleRef).toEqual({
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: 'system:controller:job-controller',
    });
    expect(binding?.subjects).toEqual([{ kind: 'ServiceAccount', namespace: 'kube-system', name: 'job-controller' }]);
  });

  test('binds only roles that exist', () => {
    const roles = bootstrap.namespacedRoles().map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(bootstrap.allClusterRoleBindings().filter(({ roleRef }) => !roleNames.includes(roleRef.name))).toEqual([]);
    expect(
      bootstrap
        .namespacedRoleBindings()
        .filter(({ metadata, roleRef }) => !roles.includes(`${metadata.namespace}/${roleRef.name}`)),
    ).toEqual([]);
  });

  test('binds nobody to the role of nodes, which the node authorizer replaces', () => {
    expect(
      bootstrap.allClusterRoleBindings().find(({ metadata }) => metadata.name === 'system:node')?.subjects,
    ).toBeUndefined();
  });

  test('allows only authenticated users and probes without a grant', () => {
    const open = bootstrap
      .allClusterRoleBindings()
      .filter(({ subjects = [] }) => subjects.some(({ name }) => name === 'system:unauthenticated'));
    expect(open.map(({ metadata }) => metadata.name)).toEqual(['system:public-info-viewer']);
  });
});

describe('flow control', () => {
  test('sends every schema to a level that exists', () => {
    const levels = bootstrap.priorityLevels().map(({ metadata }) => metadata.name);
    expect(
      bootstrap.flowSchemas().filter(({ spec }) => !levels.includes(spec?.priorityLevelConfiguration.name)),
    ).toEqual([]);
  });

  test('rejects unmatched requests beyond a small share, and queues the rest', () => {
    const responses = bootstrap
      .priorityLevels()
      .map(({ metadata, spec }) => [metadata.name, spec?.limited?.limitResponse?.type]);
    expect(responses).toEqual([
      ['exempt', undefined],
      ['catch-all', 'Reject'],
      ...['system', 'node-high', 'leader-election', 'workload-high', 'workload-low', 'global-default'].map((name) => [
        name,
        'Queue',
      ]),
    ]);
  });

  test('tries schemas from the masters to the catch-all', () => {
    const order = bootstrap.flowSchemas().map(({ spec }) => spec?.matchingPrecedence ?? 0);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(bootstrap.flowSchemas().at(-1)?.metadata.name).toBe('catch-all');
  });
});

describe('the server about itself', () => {
  test('has an APIService for each group version that can be served', () => {
    const served = packages.filter(({ kinds }) => kinds.length > 0).map(({ group, version }) => `${version}.${group}`);
    const registered = bootstrap
      .localAPIServices('2026-01-01T00:00:00Z', () => true)
      .map(({ metadata }) => metadata.name);
    // The server behind apiregistration.k8s.io is the aggregator, which does not register itself.
    expect(new Set(registered)).toEqual(new Set(served.filter((name) => name !== 'v1.apiregistration.k8s.io')));
  });

  test.each([
    ['IPv4', '10.0.0.1', '192.0.2.7'],
    ['IPv6', 'fd00::1', '2001:db8::7'],
  ])('is reached by a Service and endpoints of family %s', (family, clusterIP, address) => {
    const service = bootstrap.kubernetesService(clusterIP, 7443);
    expect(bootstrap.kubernetesService(clusterIP, 7443, 30443).spec).toMatchObject({
      type: 'NodePort',
      ports: [{ nodePort: 30443 }],
    });
    expect(service.spec).toMatchObject({
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: [family],
      ports: [{ name: 'https', port: 443, targetPort: 7443 }],
    });
    expect(bootstrap.kubernetesEndpoints([address], 7443).subsets?.[0]?.addresses).toEqual([{ ip: address }]);
    expect(bootstrap.kubernetesEndpointSlice([address], 7443)).toMatchObject({
      addressType: family,
      endpoints: [{ addresses: [address] }],
    });
  });

  test('names itself by its host, and its holder by its start', () => {
    const lease = bootstrap.identityLease(
      { hostname: 'vm', uid: 'start-1', advertiseAddress: '192.0.2.2:6443' },
      '2026-01-01T00:00:00.000000Z',
    );
    expect(lease.metadata.name).toBe('apiserver-wlv32tlttr4jl3gtroqexyxapa');
    expect(lease.spec?.holderIdentity).toBe('apiserver-wlv32tlttr4jl3gtroqexyxapa_start-1');
    expect(bootstrap.serverIdentityName('other')).not.toBe(lease.metadata.name);
  });

  test('publishes its authentication settings for extension servers', () => {
    expect(bootstrap.extensionAuthenticationConfigMap({}).data).toEqual({});
    const requestHeader = {
      clientCA: 'PEM',
      allowedNames: [],
      usernameHeaders: ['X-User'],
      groupHeaders: ['X-Group'],
      extraHeadersPrefix: ['X-Extra-'],
    };
    expect(bootstrap.extensionAuthenticationConfigMap({ clientCA: 'CA', requestHeader }).data).toEqual({
      'client-ca-file': 'CA',
      'requestheader-allowed-names': '[]',
      'requestheader-client-ca-file': 'PEM',
      'requestheader-extra-headers-prefix': '["X-Extra-"]',
      'requestheader-group-headers': '["X-Group"]',
      'requestheader-username-headers': '["X-User"]',
    });
  });
});
