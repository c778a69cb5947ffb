import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../etcd/index.ts';
import { createContext } from '../../kernel/index.ts';
import { splitTarget } from '../../net/http/index.ts';
import { openEncryption } from '../encryption/index.ts';
import { createPipeline, type Pipeline } from '../pipeline/build-pipeline.ts';
import { openPki } from '../pki/files.ts';
import { loadSecurityOptions } from './security-options.ts';

let directory: string;
let stopped: AbortController;
const file = async (name: string, text: string): Promise<string> => {
  await fs.writeFile(path.join(directory, name), text, { mode: 0o600 });
  return path.join(directory, name);
};
beforeEach(async () => {
  directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-security-'));
  stopped = new AbortController();
});
afterEach(async () => {
  stopped.abort();
  await fs.rm(directory, { recursive: true });
});

const secretTarget = '/api/v1/namespaces/default/secrets';

async function send(
  pipeline: Pipeline,
  method: string,
  target: string,
  options: { token?: string; body?: object } = {},
): Promise<{ status: number; text: string }> {
  const response = await pipeline.handle({
    method,
    ...splitTarget(target),
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
    },
    readBody: () => Promise.resolve(Buffer.from(JSON.stringify(options.body ?? {}))),
    remoteAddress: '127.0.0.1',
    signal: stopped.signal,
  });
  return { status: response.status, text: response.body?.toString() ?? '' };
}

describe('a server with files', () => {
  it('authenticates, authorizes, audits and encrypts by them, and decrypts after a restart', async () => {
    const ctx = createContext({ signal: stopped.signal, writeLog: () => {} });
    const store = createMemoryStore({ clock: ctx.clock });
    const pki = await openPki(ctx, undefined, { dnsNames: ['localhost'], addresses: ['127.0.0.1'], signingKey: 'ec' });
    const policy = {
      apiVersion: 'abac.authorization.kubernetes.io/v1beta1',
      kind: 'Policy',
      spec: { user: 'jane', namespace: '*', resource: '*', apiGroup: '*' },
    };
    const security = await loadSecurityOptions(ctx, {
      tokenAuthFile: await file('tokens.csv', 'jane-token,jane,u1\nbob-token,bob,u2\n'),
      anonymousAuth: false,
      authorizationMode: ['ABAC'],
      authorizationPolicyFile: await file('policy.jsonl', JSON.stringify(policy)),
      auditPolicyFile: await file(
        'audit.yaml',
        'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n',
      ),
      auditLogPath: path.join(directory, 'audit.log'),
    });
    const encryption = await openEncryption(ctx, path.join(directory, 'encryption.yaml'));
    const running: Promise<void>[] = [];
    const start = async (): Promise<Pipeline> => {
      const pipeline = await createPipeline(ctx, {
        store,
        pki,
        advertiseAddress: '192.0.2.1',
        serviceClusterIpRange: '10.96.0.0/16',
        encryption: encryption.transformer,
        ...security,
      });
      running.push(pipeline.run());
      await pipeline.bootstrap(6443);
      return pipeline;
    };
    const first = await start();
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: 'hunter2' } };
    expect((await send(first, 'POST', secretTarget, { body })).status).toBe(401);
    expect((await send(first, 'POST', secretTarget, { body, token: 'bob-token' })).status).toBe(403);
    expect((await send(first, 'POST', secretTarget, { body, token: 'jane-token' })).status).toBe(201);

    const { kvs } = await store.range({ key: '/registry/secrets/default/s' });
    expect(Buffer.from(kvs[0]!.value).toString('latin1')).toMatch(/^k8s:enc:aesgcm:v1:key1:/);
    const second = await start();
    expect((await send(second, 'GET', `${secretTarget}/s`, { token: 'jane-token' })).text).toContain(
      Buffer.from('hunter2').toString('base64'),
    );

    stopped.abort();
    await Promise.all(running);
    const events = (await fs.readFile(path.join(directory, 'audit.log'), 'utf8'))
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as {
            user: { username?: string };
            objectRef?: { resource: string };
            responseStatus: { code: number };
          },
      );
    const secrets = events.filter(
      ({ objectRef, user }) => objectRef?.resource === 'secrets' && user.username !== 'system:apiserver',
    );
    expect(secrets.map(({ user, responseStatus }) => [user.username, responseStatus.code])).toEqual([
      [undefined, 401],
      ['bob', 403],
      ['jane', 201],
      ['jane', 200],
    ]);
    await store.close();
  });

  const refused = [
    {
      name: 'two ways to authorize',
      files: { authorizationConfig: 'a', authorizationMode: ['RBAC'] },
      message: 'cannot be used together',
    },
    { name: 'an unknown mode', files: { authorizationMode: ['Maybe'] }, message: '"Maybe" is not a valid mode' },
    {
      name: 'ABAC without its file',
      files: { authorizationMode: ['ABAC'] },
      message: 'needs an authorization-policy-file',
    },
    {
      name: 'a webhook without its file',
      files: { authorizationMode: ['Webhook'] },
      message: 'needs an authorization-webhook-config-file',
    },
  ];
  it.each(refused)('refuses $name', async ({ files, message }) => {
    await expect(loadSecurityOptions(createContext({ writeLog: () => {} }), files)).rejects.toThrow(message);
  });
});

it.each([
  [['AlwaysAllow'], undefined, { enabled: false }],
  [['AlwaysAllow'], true, { enabled: false }],
  [['RBAC'], true, { enabled: true }],
  [['RBAC'], undefined, undefined],
])('anonymous requests with %j and --anonymous-auth=%s', async (authorizationMode, anonymousAuth, expected) => {
  const ctx = createContext({ signal: stopped.signal, writeLog: () => {} });
  const files = { authorizationMode, ...(anonymousAuth === undefined ? {} : { anonymousAuth }) };
  const { authentication } = await loadSecurityOptions(ctx, files);
  expect(authentication?.anonymous).toEqual(expected);
});
