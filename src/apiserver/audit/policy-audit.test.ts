/** What a request waits for, and what happens to one whose events are not stored. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/index.ts';
import type { AuditBackend } from './audit.ts';
import { loadAuditPolicy, PolicyAudit } from './index.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.stop());

const policy = loadAuditPolicy(
  JSON.stringify({
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    rules: [
      { level: 'Metadata', nonResourceURLs: ['/version'] },
      { level: 'Metadata', resources: [{ group: '' }] },
    ],
  }),
);

function auditWith(write: AuditBackend['write']): void {
  const audit = new PolicyAudit(server.ctx, policy, [{ write, close: () => Promise.resolve() }]);
  Object.assign(server.pipeline.chain, { audit });
}

describe('an audit backend', () => {
  it('that cannot store the first event of a request makes it fail', async () => {
    auditWith(({ stage }) => Promise.resolve(stage !== 'RequestReceived'));
    const { status, text } = await server.call('GET', '/api/v1/pods?limit=%3C');
    expect([status, text]).toEqual([
      500,
      'Internal Server Error: "/api/v1/pods?limit=%3C": failed to store audit event\n',
    ]);
    expect(server.ctx.metrics.expose()).toContain('apiserver_audit_requests_rejected_total 1');
  });

  it('that cannot store a later event does not', async () => {
    auditWith(({ stage }) => Promise.resolve(stage === 'RequestReceived'));
    expect((await server.call('GET', '/version')).status).toBe(200);
  });

  it('makes requests wait at each of their stages', async () => {
    const waiting: (() => void)[] = [];
    const stages: unknown[] = [];
    auditWith(({ stage }) => {
      stages.push(stage);
      return new Promise((resolve) => waiting.push(() => resolve(true)));
    });
    let answered = false;
    const answer = server.call('GET', '/version').finally(() => (answered = true));
    for (const stage of ['RequestReceived', 'ResponseComplete']) {
      await expect.poll(() => stages.at(-1)).toBe(stage);
      expect(answered).toBe(false);
      waiting.shift()!();
    }
    expect((await answer).status).toBe(200);
  });

  it('that takes events at once holds nobody up', async () => {
    const stages: unknown[] = [];
    auditWith(({ stage }) => stages.push(stage) > 0);
    await server.call('GET', '/version');
    expect(stages).toEqual(['RequestReceived', 'ResponseComplete']);
  });
});
