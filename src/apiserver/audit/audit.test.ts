import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createContext, createTestContext } from '../../kernel/index.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { ReviewClient } from '../review-webhooks/index.ts';
import { startLoopbackServer } from '../review-webhooks/testing/loopback-server.ts';
import {
  AuditLogFile,
  AuditWebhook,
  BatchBackend,
  BlockingBackend,
  loadAuditPolicy,
  TruncatingBackend,
  WEBHOOK_BATCHES,
} from './index.ts';

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

const LEGACY = {
  requestReceivedTimestamp: '2026-01-31T12:00:00.120000Z',
  auditID: 'a',
  stage: 'ResponseComplete',
  verb: 'get',
  requestURI: '/api/v1/pods?limit=1',
  user: { username: 'jane', groups: ['dev', 'ops'] },
  sourceIPs: ['192.0.2.1'],
  userAgent: 'kubectl "x"',
  objectRef: { namespace: 'ns' },
  responseStatus: { code: 200 },
};

describe('what the log file has', () => {
  const withFile = async (act: (file: string, directory: string) => Promise<void>): Promise<void> => {
    const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-audit-'));
    await act(path.join(directory, 'audit.log'), directory);
    await fs.rm(directory, { recursive: true });
  };
  const quiet = () => createContext({ writeLog: () => {} });

  it('has an event when `store` is done, and tells when it has not', () =>
    withFile(async (file, directory) => {
      const log = new AuditLogFile(quiet(), { path: file });
      await log.store([{ auditID: '1' }]);
      expect(await fs.readFile(file, 'utf8')).toBe('{"auditID":"1"}\n');
      await log.close();
      await fs.rm(file);
      await fs.mkdir(file);
      const broken = new AuditLogFile(quiet(), { path: file });
      await expect(broken.store([{ auditID: '2' }])).rejects.toThrow('EISDIR');
      await fs.rmdir(file);
      await broken.store([{ auditID: '3' }]);
      expect(await fs.readFile(file, 'utf8')).toBe('{"auditID":"3"}\n');
      await broken.close();
      expect(await fs.readdir(directory)).toEqual(['audit.log']);
    }));

  it('counts an event that could not be written', () =>
    withFile(async (file) => {
      const ctx = createTestContext();
      await fs.mkdir(file);
      const log = new AuditLogFile(ctx, { path: file });
      log.write({ auditID: '1' });
      await expect.poll(() => ctx.metrics.expose()).toContain('apiserver_audit_error_total{plugin="log"} 1');
    }));

  it('is compressed when it is put aside, and counted among the old ones', () =>
    withFile(async (file, directory) => {
      const log = new AuditLogFile(quiet(), { path: file, maxSizeMegabytes: 0.0001, maxBackups: 1, compress: true });
      for (let i = 0; i < 4; i++) {
        await log.store([{ auditID: String(i), filler: 'x'.repeat(80) }]);
        // The names of rotated files have milliseconds.
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      await log.close();
      const files = (await fs.readdir(directory)).sort();
      expect(files).toEqual([expect.stringMatching(/^audit-.*\.log\.gz$/), 'audit.log']);
      const old = gunzipSync(await fs.readFile(path.join(directory, files[0]!))).toString();
      expect(JSON.parse(old)).toMatchObject({ auditID: '2' });
    }));

  it.each([
    [
      LEGACY,
      String.raw`2026-01-31T12:00:00.12Z AUDIT: id="a" stage="ResponseComplete" ip="192.0.2.1" method="get" user="jane" groups="\"dev\",\"ops\"" as="<self>" asgroups="<lookup>" user-agent="kubectl \"x\"" namespace="ns" uri="/api/v1/pods?limit=1" response="200"`,
    ],
    [
      {
        ...LEGACY,
        requestReceivedTimestamp: '2026-01-31T12:00:00.000000Z',
        user: {},
        impersonatedUser: { username: 'bob', groups: [] },
        sourceIPs: [],
        objectRef: undefined,
        responseStatus: undefined,
      },
      String.raw`2026-01-31T12:00:00Z AUDIT: id="a" stage="ResponseComplete" ip="<unknown>" method="get" user="<none>" groups="<none>" as="bob" asgroups="" user-agent="kubectl \"x\"" namespace="<none>" uri="/api/v1/pods?limit=1" response="<deferred>"`,
    ],
  ])('has the legacy format (%#)', (event, line) =>
    withFile(async (file) => {
      const log = new AuditLogFile(quiet(), { path: file, legacyFormat: true });
      await log.store([event]);
      expect(await fs.readFile(file, 'utf8')).toBe(`${line}\n`);
      await log.close();
    }),
  );
});

describe('the webhook', () => {
  it('gets events in batches over TLS', async () => {
    const ctx = createContext({ writeLog: () => {} });
    const server = await startLoopbackServer(() => ({ body: {} }));
    const client = await ReviewClient.fromKubeconfig(ctx, server.kubeconfig);
    const webhook = new BatchBackend(ctx, new AuditWebhook(client), { ...WEBHOOK_BATCHES, maxSize: 2, maxWaitMs: 10 });
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
    const webhook = new BatchBackend(ctx, new AuditWebhook({ post: () => new Promise(() => {}) }), {
      ...WEBHOOK_BATCHES,
      bufferSize: 3,
      maxSize: 2,
    });
    for (let i = 0; i < 5; i++) webhook.write({ i });
    expect(ctx.metrics.expose()).toContain('apiserver_audit_error_total{plugin="webhook"} 2');
  });
});

describe('a backend that requests wait for', () => {
  const sink = (outcome: () => Promise<void>) => ({ name: 'log', store: outcome, close: () => Promise.resolve() });

  it.each([
    ['blocking', false, true],
    ['blocking-strict', true, false],
  ])('%s: a failure is counted, and the event counts as stored: %#', async (_mode, strict, stored) => {
    const ctx = createTestContext();
    const failing = new BlockingBackend(
      ctx,
      sink(() => Promise.reject(new Error('disk full'))),
      { strict },
    );
    expect(await failing.write({ auditID: '1' })).toBe(stored);
    expect(ctx.metrics.expose()).toContain('apiserver_audit_error_total{plugin="log"} 1');
    expect(ctx.logLines.join('\n')).toContain("Error in audit plugin 'log'");
  });

  it('answers when the event is stored', async () => {
    let store = (): void => {};
    const slow = new BlockingBackend(
      createTestContext(),
      sink(() => new Promise((resolve) => (store = resolve))),
      {
        strict: true,
      },
    );
    let done = false;
    const writing = slow.write({ auditID: '1' }).then((stored) => (done = stored));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(done).toBe(false);
    store();
    await writing;
    expect(done).toBe(true);
  });
});

describe('a backend that truncates', () => {
  const taken = (event: Record<string, unknown>, size: number) => {
    const events: unknown[] = [];
    const ctx = createTestContext();
    const backend = { write: (written: object) => events.push(written) > 0, close: () => Promise.resolve() };
    const stored = new TruncatingBackend(ctx, backend, size).write(event);
    return { events, stored, metrics: ctx.metrics.expose() };
  };
  const large = {
    level: 'Request',
    annotations: { a: 'b' },
    requestObject: { x: 'x'.repeat(300) },
    responseObject: {},
  };

  it('passes on what fits', () => {
    expect(taken(large, 1000).events).toEqual([large]);
  });

  it('takes the objects out of what does not', () => {
    const annotations = { a: 'b', 'audit.k8s.io/truncated': 'true' };
    expect(taken(large, 200).events).toEqual([{ level: 'Request', annotations }]);
  });

  it.each([
    ['too large without its objects', large, 20],
    ['too large, and has no objects at its level', { ...large, level: 'Metadata' }, 200],
  ])('drops and counts what is %s', (_, event, size) => {
    const { events, stored, metrics } = taken(event, size);
    expect([events, stored]).toEqual([[], true]);
    expect(metrics).toContain('apiserver_audit_error_total{plugin="truncate"} 1');
  });
});
