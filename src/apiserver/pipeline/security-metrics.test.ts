import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/index.ts';

let server: TestServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server.stop());

const lines = (name: string): string[] =>
  server.ctx.metrics
    .expose()
    .split('\n')
    .filter((line) => line.startsWith(name) && !line.includes('_bucket'));
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};

it('counts attempts to authenticate and to be authorized, by their results', async () => {
  await server.call('GET', '/api/v1/namespaces/default/pods', {
    user: { name: 'low', groups: ['system:authenticated'] },
  });
  const before = server.ctx.metrics.expose();
  expect(before).toMatch(/^authorization_attempts_total\{result="no-opinion"\} [1-9]/m);
  expect(before).toMatch(/^authorization_attempts_total\{result="allowed"\} [1-9]/m);
  expect(before).toMatch(/^authorization_duration_seconds_count\{result="allowed"\} [1-9]/m);
  expect(before).toMatch(
    /^apiserver_authorization_decisions_total\{type="system:masters",name="system:masters",decision="allowed"\} [1-9]/m,
  );
  const asked = (path: string, headers: Record<string, string>) =>
    server.pipeline.handle({
      method: 'GET',
      path,
      query: new URLSearchParams(),
      headers,
      readBody: () => Promise.resolve(Buffer.alloc(0)),
      remoteAddress: '',
      signal: server.ctx.signal,
    });
  await asked('/api/v1/pods', { authorization: 'Bearer nonsense' });
  await asked('/version', {});
  expect(lines('authentication_attempts')).toEqual(
    expect.arrayContaining([
      'authentication_attempts{result="failure"} 1',
      'authentication_attempts{result="success"} 1',
    ]),
  );
  expect(lines('authenticated_user_requests')).toEqual(['authenticated_user_requests{username="other"} 1']);
});

it('times plugins and steps of admission', async () => {
  await server.call('POST', '/api/v1/namespaces/default/pods', { body: pod });
  await server.call('POST', '/api/v1/namespaces/nowhere/pods', { body: pod });
  expect(
    lines(
      'apiserver_admission_controller_admission_duration_seconds_count{name="Priority",operation="CREATE",rejected="false",type="admit"}',
    ),
  ).toHaveLength(1);
  expect(
    lines(
      'apiserver_admission_controller_admission_duration_seconds_count{name="NamespaceLifecycle",operation="CREATE",rejected="true"',
    ),
  ).toEqual([
    'apiserver_admission_controller_admission_duration_seconds_count{name="NamespaceLifecycle",operation="CREATE",rejected="true",type="admit"} 1',
  ]);
  expect(lines('apiserver_admission_step_admission_duration_seconds_count{operation="CREATE",rejected="true"')).toEqual(
    ['apiserver_admission_step_admission_duration_seconds_count{operation="CREATE",rejected="true",type="admit"} 1'],
  );
});
