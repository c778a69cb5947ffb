import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createContext, createTestContext } from '../../kernel/index.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { ReviewClient } from '../review-webhooks/index.ts';
import { startLoopbackServer } from '../review-webhooks/testing/loopback-server.ts';
import { AuditLogFile, AuditWebhook, loadAuditPolicy } from './index.ts';

const policy = (rules: readonly object[], more: object = {}): string =>
  JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules, ...more });

describe('the audit policy', () => {
  const rows = [
    {
      name: 'the first rule that matches',
      rules: [{ level: 'None', verbs: ['get'] }, { level: 'Metadata' }],
      request: 'GET /api/v1/namespaces/a/pods/p',
      level: 'None',
    },
    {
      name: 'nothing when none matches',
      rules: [{ level: 'Metadata', verbs: ['get'] }],
      request: 'POST /api/v1/namespaces/a/pods',
      level: 'None',
    },
    { name: 'a user', rules: [{ level: 'Request', users: ['jane'] }], request: 'GET /api', level: 'Request' },
    { name: 'another user', rules: [{ level: 'Request', users: ['bob'] }], request: 'GET /api', level: 'None' },
    { name: 'a group', rules: [{ level: 'Request', userGroups: ['dev'] }], request: 'GET /api', level: 'Request' },
    {
      name: 'a resource of a group',
      rules: [{ level: 'Request', resources: [{ group: 'apps', resources: ['deployments'] }] }],
      request: 'GET /apis/apps/v1/deployments',
      level: 'Request',
    },
    {
      name: 'not its subresource',
      rules: [{ level: 'Request', resources: [{ group: '', resources: ['pods'] }] }],
      request: 'GET /api/v1/namespaces/a/pods/p/log',
      level: 'None',
    },
    {
      name: 'a subresource of all',
      rules: [{ level: 'Request', resources: [{ group: '', resources: ['*/log'] }] }],
      request: 'GET /api/v1/namespaces/a/pods/p/log',
      level: 'Request',
    },
    {
      name: 'all subresources of one',
      rules: [{ level: 'Request', resources: [{ group: '', resources: ['pods/*'] }] }],
      request: 'GET /api/v1/namespaces/a/pods/p/log',
      level: 'Request',
    },
    {
      name: 'a namespace',
      rules: [{ level: 'Request', namespaces: ['a'] }],
      request: 'GET /api/v1/namespaces/b/pods',
      level: 'None',
    },
    {
      name: 'a name',
      rules: [{ level: 'Request', resources: [{ group: '', resources: ['pods'], resourceNames: ['q'] }] }],
      request: 'GET /api/v1/namespaces/a/pods/p',
      level: 'None',
    },
    {
      name: 'paths',
      rules: [{ level: 'Metadata', nonResourceURLs: ['/healthz*'] }],
      request: 'GET /healthz/ping',
      level: 'Metadata',
    },
    {
      name: 'paths are not resources',
      rules: [{ level: 'Metadata', nonResourceURLs: ['*'] }],
      request: 'GET /api/v1/pods',
      level: 'None',
    },
  ];
  it.each(rows)('decides by $name', ({ rules, request, level }) => {
    const [method = '', target = ''] = request.split(' ');
    const info = parseRequestInfo(method, target, new URLSearchParams());
    expect(loadAuditPolicy(policy(rules)).decide({ name: 'jane', groups: ['dev'] }, info).level).toBe(level);
  });

  it.each([
    { name: 'no rules', rules: [], message: '0 rules' },
    { name: 'an unknown level', rules: [{ level: 'All' }], message: 'Unsupported value: "All"' },
    {
      name: 'paths and resources in one',
      rules: [{ level: 'None', nonResourceURLs: ['/x'], resources: [{ group: '' }] }],
      message: 'both regular resources and non-resource URLs',
    },
    { name: 'an unknown stage', rules: [{ level: 'None', omitStages: ['Later'] }], message: 'allowed stages are' },
  ])('refuses $name', ({ rules, message }) => {
    expect(() => loadAuditPolicy(policy(rules))).toThrow(message);
  });
});

describe('the log file', () => {
  it('is for its owner, holds a line an event, and is put aside when it has grown', async () => {
    const ctx = createContext({ writeLog: () => {} });
    const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-audit-'));
    const file = path.join(directory, 'audit.log');
    const log = new AuditLogFile(ctx, { path: file, maxSizeMegabytes: 0.001, maxBackups: 2 });
    for (let i = 0; i < 5; i++) {
      log.write({ auditID: String(i), filler: 'x'.repeat(800) });
      // Those that come together are written together.
      await expect.poll(() => fs.readFile(file, 'utf8').catch(() => '')).toContain(`"auditID":"${i}"`);
    }
    await log.close();
    const files = (await fs.readdir(directory)).sort();
    expect(files).toHaveLength(3);
    expect(files.at(-1)).toBe('audit.log');
    expect((await fs.stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await fs.readFile(file, 'utf8'))).toMatchObject({ auditID: '4' });
    await fs.rm(directory, { recursive: true });
  });
});

describe('the webhook', () => {
  it('gets events in batches over TLS', async () => {
    const ctx = createContext({ writeLog: () => {} });
    const server = await startLoopbackServer(() => ({ body: {} }));
    const client = await ReviewClient.fromKubeconfig(ctx, server.kubeconfig);
    const webhook = new AuditWebhook(ctx, { client, batchMaxSize: 2, batchMaxWaitMs: 10 });
    for (const auditID of ['1', '2', '3']) webhook.write({ auditID });
    await webhook.close();
    const batches = server.received.map(({ body }) =>
      (body as { kind: string; items: { auditID: string }[] }).items.map(({ auditID }) => auditID),
    );
    expect(batches).toEqual([['1', '2'], ['3']]);
    await client.close();
    await server.close();
  });

  it('drops and counts events that exceed its buffer', async () => {
    const ctx = createTestContext();
    const webhook = new AuditWebhook(ctx, {
      client: { post: () => new Promise(() => {}) },
      bufferSize: 3,
      batchMaxSize: 2,
    });
    for (let i = 0; i < 5; i++) webhook.write({ i });
    expect(ctx.metrics.expose()).toContain('apiserver_audit_error_total{plugin="webhook"} 2');
  });
});
