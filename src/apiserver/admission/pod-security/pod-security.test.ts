import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../testing/index.ts';
import { container, createObject, createNamespace, pod, podsPath, rejection } from '../testing/index.ts';
import { DEFAULT_POLICY, parsePolicy, policyText } from './policy.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    admission: {
      podSecurity: { exemptions: { namespaces: ['spared'], usernames: ['robot'], runtimeClasses: ['boxed'] } },
    },
  });
});
afterAll(() => server.stop());

const labelled = (labels: Record<string, string>): object => ({
  labels: Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
  ),
});

describe('the policy of a namespace', () => {
  it.each<[string, Record<string, string>, { enforce: string; audit: string; warn: string }, string[]]>([
    ['without labels', {}, { enforce: 'privileged:latest', audit: 'privileged:latest', warn: 'privileged:latest' }, []],
    [
      'warns of what it enforces',
      { enforce: 'baseline', 'enforce-version': 'v1.30' },
      { enforce: 'baseline:v1.30', audit: 'privileged:latest', warn: 'baseline:v1.30' },
      [],
    ],
    [
      'warns of what it says',
      { enforce: 'restricted', warn: 'baseline', 'warn-version': 'v1.2' },
      { enforce: 'restricted:latest', audit: 'privileged:latest', warn: 'baseline:v1.2' },
      [],
    ],
    [
      'is strict when it cannot be read',
      { enforce: 'x', audit: 'y', 'warn-version': '1.3' },
      { enforce: 'restricted:latest', audit: 'privileged:latest', warn: 'restricted:latest' },
      [
        'must be one of privileged, baseline, restricted',
        'must be one of privileged, baseline, restricted',
        'must be "latest" or "v1.x"',
      ],
    ],
  ])('%s', (_name, labels, expected, problems) => {
    const { policy, errors } = parsePolicy(
      (labelled(labels) as { labels: Record<string, string> }).labels,
      DEFAULT_POLICY,
    );
    expect(Object.fromEntries(Object.entries(policy).map(([mode, value]) => [mode, policyText(value)]))).toEqual(
      expected,
    );
    expect(errors.map((error) => error.detail)).toEqual(problems);
  });
});

const deployment = (spec: object): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container()], ...spec } },
  },
});

describe('in a namespace that enforces the baseline', () => {
  beforeAll(async () => {
    await createNamespace(server, 'baseline', labelled({ enforce: 'baseline' }));
    await createNamespace(server, 'spared', labelled({ enforce: 'baseline' }));
  });

  it('refuses pods', async () => {
    expect(await rejection(server, podsPath('baseline'), pod('p', { hostPID: true }))).toBe(
      'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)',
    );
    expect(await rejection(server, podsPath('baseline'), pod('p'))).toBeUndefined();
  });

  it('warns about workloads and admits them', async () => {
    const answer = await server.call('POST', '/apis/apps/v1/namespaces/baseline/deployments?dryRun=All', {
      body: deployment({ hostIPC: true }),
    });
    expect(answer.status).toBe(201);
    expect(answer.warnings.join()).toContain(
      'would violate PodSecurity \\"baseline:latest\\": host namespaces (hostIPC=true)',
    );
  });

  it.each([
    ['a namespace', 'spared', {}, undefined],
    ['a user', 'baseline', {}, { name: 'robot', groups: ['system:masters'] }],
  ])('spares %s that is exempt', async (_name, namespace, spec, user) => {
    expect(await rejection(server, podsPath(namespace), pod('p', { hostPID: true, ...spec }), user)).toBeUndefined();
  });

  it('spares a runtime class that is exempt', async () => {
    await createObject(server, '/apis/node.k8s.io/v1/runtimeclasses', {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'boxed' },
      handler: 'box',
    });
    expect(
      await rejection(server, podsPath('baseline'), pod('p', { hostPID: true, runtimeClassName: 'boxed' })),
    ).toBeUndefined();
  });
});

describe('updates', () => {
  const patch = (target: string, body: object): ReturnType<TestServer['call']> =>
    server.call('PATCH', target, { body, contentType: 'application/strategic-merge-patch+json' });

  it('check pods only when their containers change', async () => {
    await createNamespace(server, 'tightened');
    await createObject(server, podsPath('tightened'), pod('old', { hostPID: true }));
    await patch('/api/v1/namespaces/tightened', { metadata: labelled({ enforce: 'baseline' }) });
    expect((await patch(`${podsPath('tightened')}/old`, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
    expect(
      (await patch(`${podsPath('tightened')}/old`, { spec: { containers: [{ name: 'c', image: 'other' }] } })).body[
        'message'
      ],
    ).toContain('host namespaces (hostPID=true)');
  });

  it('of a namespace are grouped by violation', async () => {
    await createNamespace(server, 'grouped');
    for (const name of ['b', 'a', 'c']) await createObject(server, podsPath('grouped'), pod(name, { hostPID: true }));
    await createObject(
      server,
      podsPath('grouped'),
      pod('d', {
        hostPID: true,
        hostNetwork: true,
        containers: [container({ securityContext: { privileged: true } })],
      }),
    );
    const answer = await patch('/api/v1/namespaces/grouped', { metadata: labelled({ enforce: 'baseline' }) });
    expect(answer.status).toBe(200);
    expect(answer.warnings.join('\n')).toContain(
      'existing pods in namespace \\"grouped\\" violate the new PodSecurity enforce level \\"baseline:latest\\"',
    );
    expect(answer.warnings.join('\n')).toContain('a (and 2 other pods): host namespaces');
    expect(answer.warnings.join('\n')).toContain('d: host namespaces, privileged');
    expect(
      (await patch('/api/v1/namespaces/grouped', { metadata: labelled({ enforce: 'privileged' }) })).warnings,
    ).toEqual([]);
  });

  it('of a namespace refuse invalid labels', async () => {
    await createNamespace(server, 'labels');
    const answer = await patch('/api/v1/namespaces/labels', { metadata: labelled({ enforce: 'strict' }) });
    expect([answer.status, answer.body['message']]).toEqual([
      422,
      'Namespace "labels" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted',
    ]);
  });
});
