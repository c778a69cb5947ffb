import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContext } from '../../kernel/index.ts';
import { startLoopbackServer, type LoopbackServer } from '../review-webhooks/testing/loopback-server.ts';
import type { AuthorizationAttributes, Authorizer } from './authorizer.ts';
import { authorizersFromConfiguration } from './configuration.ts';

const ctx = createContext({ writeLog: () => {} });
let server: LoopbackServer;

beforeAll(async () => {
  server = await startLoopbackServer((_path, body) => {
    const { user } = (body as { spec: { user: string } }).spec;
    if (user === 'broken') return { status: 503, body: {} };
    return { body: { status: { allowed: user === 'jane', denied: user === 'mallory', reason: `asked for ${user}` } } };
  });
});
afterAll(() => server.close());

describe('the authorization webhook', () => {
  const decisions = [
    { name: 'allows', user: 'jane', decision: { decision: 'allow', reason: 'asked for jane' } },
    { name: 'denies', user: 'mallory', decision: { decision: 'deny', reason: 'asked for mallory' } },
    { name: 'has no opinion', user: 'bob', decision: { decision: 'no-opinion', reason: 'asked for bob' } },
    {
      name: 'cannot be asked',
      user: 'broken',
      decision: { decision: 'no-opinion', reason: '', error: 'the webhook returned status 503' },
    },
  ];
  it.each(decisions)('$name', async ({ user, decision }) => {
    expect(await (await webhook()).authorize(asking(user))).toEqual(decision);
  });

  it('denies when the webhook fails and failurePolicy is Deny', async () => {
    expect(await (await webhook({ failurePolicy: 'Deny' })).authorize(asking('broken'))).toMatchObject({
      decision: 'deny',
    });
  });

  it('is called once for the same request', async () => {
    const authorizer = await webhook();
    const before = server.received.length;
    await authorizer.authorize(asking('jane'));
    expect(authorizer.authorize(asking('jane'))).toEqual({ decision: 'allow', reason: 'asked for jane' });
    expect(server.received.length - before).toBe(1);
    expect(server.received.at(-1)?.body).toMatchObject({
      spec: {
        user: 'jane',
        groups: ['system:authenticated'],
        resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'a', name: 'p' },
      },
    });
  });

  it('is not called for requests that its conditions do not match', async () => {
    const authorizer = await webhook({
      matchConditions: [{ expression: 'has(request.resourceAttributes)' }, { expression: "request.user != 'jane'" }],
    });
    const before = server.received.length;
    expect(authorizer.authorize(asking('jane'))).toEqual({ decision: 'no-opinion', reason: '' });
    expect(server.received.length).toBe(before);
    expect(await authorizer.authorize(asking('mallory'))).toMatchObject({ decision: 'deny' });
  });

  it('applies its failure policy when a condition cannot be evaluated', async () => {
    const matchConditions = [{ expression: 'request.nonResourceAttributes.path == "/x"' }];
    expect(await (await webhook({ matchConditions })).authorize(asking('jane'))).toMatchObject({
      decision: 'no-opinion',
    });
    expect(await (await webhook({ matchConditions, failurePolicy: 'Deny' })).authorize(asking('jane'))).toMatchObject({
      decision: 'deny',
    });
  });
});

describe('AuthorizationConfiguration', () => {
  const refused = [
    { name: 'no authorizers', authorizers: [], message: 'at least one authorization mode' },
    {
      name: 'a name twice',
      authorizers: [
        { type: 'Node', name: 'a' },
        { type: 'RBAC', name: 'a' },
      ],
      message: 'Duplicate value: "a"',
    },
    { name: 'an unknown type', authorizers: [{ type: 'Oracle', name: 'a' }], message: 'Unsupported value: "Oracle"' },
    {
      name: 'a webhook without its configuration',
      authorizers: [{ type: 'Webhook', name: 'a' }],
      message: 'required when type=Webhook',
    },
  ];
  it.each(refused)('refuses $name', async ({ authorizers, message }) => {
    await expect(authorizersFromConfiguration(ctx, configuration(authorizers))).rejects.toThrow(message);
  });
});

const configuration = (authorizers: readonly object[]): string =>
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration', authorizers });

async function webhook(more: object = {}): Promise<Authorizer> {
  const settings = {
    timeout: '3s',
    subjectAccessReviewVersion: 'v1',
    failurePolicy: 'NoOpinion',
    connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: server.kubeconfig },
    ...more,
  };
  const [config] = await authorizersFromConfiguration(
    ctx,
    configuration([{ type: 'Webhook', name: 'outside', webhook: settings }]),
  );
  if (config?.type !== 'custom') throw new Error('no webhook');
  return config.authorizer;
}

const asking = (name: string): AuthorizationAttributes => ({
  user: { name, groups: ['system:authenticated'] },
  verb: 'get',
  isResourceRequest: true,
  apiGroup: '',
  apiVersion: 'v1',
  namespace: 'a',
  resource: 'pods',
  subresource: '',
  name: 'p',
  path: '',
});
