import { describe, expect, it } from 'vitest';
import type { UserInfo } from '../request/request.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../testing/index.ts';
import { container, createObject, createNamespace, pod, podsPath, rejection } from './testing/index.ts';

async function withServer(
  admission: NonNullable<TestServerOptions['admission']>,
  act: (server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await startTestServer({ admission });
  try {
    await act(server);
  } finally {
    await server.stop();
  }
}

describe('names', () => {
  it.each([
    ['an unknown one to enable', { enable: ['Nothing'] }, 'enable-admission-plugins plugin "Nothing" is unknown'],
    ['an unknown one to disable', { disable: ['Nothing'] }, 'disable-admission-plugins plugin "Nothing" is unknown'],
    [
      'one that is both',
      { enable: ['PodSecurity'], disable: ['PodSecurity'] },
      '[PodSecurity] in enable-admission-plugins and disable-admission-plugins overlapped',
    ],
    [
      'one without its configuration',
      { enable: ['ImagePolicyWebhook'] },
      'the admission plugin ImagePolicyWebhook requires imagePolicy.kubeConfigFile',
    ],
  ])('%s', async (_name, admission, message) => {
    await expect(startTestServer({ admission })).rejects.toThrow(message);
  });

  it('a disabled plugin does nothing', async () => {
    await withServer({ disable: ['DefaultTolerationSeconds', 'NodeRestriction'] }, async (server) => {
      const { body } = await server.call('POST', `${podsPath('default')}?dryRun=All`, { body: pod('p') });
      expect((body['spec'] as { tolerations?: unknown }).tolerations).toBeUndefined();
    });
  });
});

const LOW: UserInfo = { name: 'low', groups: ['system:authenticated'] };

describe('plugins that are off by default', () => {
  it('change and refuse pods', async () => {
    const enable = [
      'AlwaysPullImages',
      'ExtendedResourceToleration',
      'LimitPodHardAntiAffinityTopology',
      'PodNodeSelector',
      'PodTolerationRestriction',
    ];
    await withServer({ enable, podNodeSelector: { clusterDefaultNodeSelector: 'pool=general' } }, async (server) => {
      await createNamespace(server, 'a', {
        annotations: {
          'scheduler.alpha.kubernetes.io/defaultTolerations': '[{"key":"t","operator":"Exists"}]',
          'scheduler.alpha.kubernetes.io/tolerationsWhitelist':
            '[{"operator":"Exists","key":"t"},{"operator":"Exists","effect":"NoSchedule"},{"operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]',
        },
      });
      const gpu = { 'example.com/gpu': '1' };
      const { body } = await server.call('POST', `${podsPath('a')}?dryRun=All`, {
        body: pod('p', {
          containers: [
            container({ imagePullPolicy: 'Never', resources: { limits: gpu, requests: { ...gpu, cpu: '1' } } }),
          ],
        }),
      });
      const spec = body['spec'] as {
        containers: { imagePullPolicy: string }[];
        nodeSelector: unknown;
        tolerations: { key: string }[];
      };
      expect(spec.containers[0]!.imagePullPolicy).toBe('Always');
      expect(spec.nodeSelector).toEqual({ pool: 'general' });
      expect(spec.tolerations.map(({ key }) => key)).toEqual([
        'node.kubernetes.io/not-ready',
        'node.kubernetes.io/unreachable',
        't',
        'node.kubernetes.io/memory-pressure',
        'example.com/gpu',
      ]);

      expect(await rejection(server, podsPath('a'), pod('p', { tolerations: [{ operator: 'Exists' }] }))).toBe(
        'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist',
      );
      expect(await rejection(server, podsPath('a'), pod('p', { nodeSelector: { pool: 'other' } }))).toBe(
        'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector',
      );
      const zone = {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: {} }],
        },
      };
      expect(await rejection(server, podsPath('default'), pod('p', { affinity: zone }))).toBe(
        'pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
      );
    });
  });

  it('look at Services, events, owners and namespaces', async () => {
    await withServer(
      {
        enable: [
          'DenyServiceExternalIPs',
          'EventRateLimit',
          'NamespaceAutoProvision',
          'OwnerReferencesPermissionEnforcement',
        ],
        eventRateLimit: { limits: [{ type: 'Namespace', qps: 1, burst: 2 }] },
      },
      async (server) => {
        const service = {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 's' },
          spec: { ports: [{ port: 80 }], externalIPs: ['198.51.100.1'] },
        };
        expect(await rejection(server, '/api/v1/namespaces/default/services', service)).toBe(
          'services "s" is forbidden: Use of external IPs is denied by admission control',
        );

        const event = (name: string): object => ({
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name },
          involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
        });
        const statuses: number[] = [];
        for (const name of ['e1', 'e2', 'e3'])
          statuses.push((await server.call('POST', '/api/v1/namespaces/default/events', { body: event(name) })).status);
        expect(statuses).toEqual([201, 201, 429]);
        await server.ctx.clock.advance(1000);
        expect((await server.call('POST', '/api/v1/namespaces/default/events', { body: event('e4') })).status).toBe(
          201,
        );

        await createObject(server, '/api/v1/namespaces/sudden/configmaps', {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'c' },
        });
        expect((await server.call('GET', '/api/v1/namespaces/sudden')).body).toMatchObject({
          metadata: { labels: { 'kubernetes.io/metadata.name': 'sudden' } },
          status: { phase: 'Active' },
        });

        await createObject(server, '/apis/rbac.authorization.k8s.io/v1/clusterroles', {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: 'writer' },
          rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get', 'patch'] }],
        });
        await createObject(server, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name: 'low' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'writer' },
          subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'low' }],
        });
        const owned = (block: boolean): object => ({
          ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', blockOwnerDeletion: block }],
        });
        const path = '/api/v1/namespaces/default/configmaps';
        const create = (block: boolean): Promise<string | undefined> =>
          rejection(
            server,
            path,
            { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'o', ...owned(block) } },
            LOW,
          );
        expect(await create(false)).toBeUndefined();
        expect(await create(true)).toContain(
          "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on:",
        );
        await createObject(server, path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'o' } });
        const patched = await server.call('PATCH', `${path}/o`, {
          body: { metadata: owned(false) },
          contentType: 'application/merge-patch+json',
          user: LOW,
        });
        expect(patched.body['message']).toContain("cannot set an ownerRef on a resource you can't delete:");
      },
    );
  });

  it('AlwaysDeny denies', async () => {
    await expect(startTestServer({ admission: { enable: ['AlwaysDeny'] } })).rejects.toThrow(
      'admission control is denying all modifications',
    );
  });
});
