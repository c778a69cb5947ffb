import { expect, it } from 'vitest';
import { startTestServer } from '../testing/index.ts';

it('creates no series from values that clients invent', async () => {
  const server = await startTestServer();
  const text = async (): Promise<string> => (await server.call('GET', '/metrics')).text;
  try {
    await server.call('GET', '/api/v1/namespaces/default/configmaps?dryRun=All');
    const before = (await text()).split('\n').length;
    for (let i = 0; i < 50; i++) {
      await server.call('GET', `/api/v1/namespaces/default/made-up-${i}`);
      await server.call('GET', `/apis/made-up-${i}/v1/things`);
      await server.call('GET', `/made-up-${i}`);
      await server.call('GET', `/api/v1/namespaces/default/pods/x/made-up-${i}`);
      await server.call(`MADE-UP-${i}`, '/api/v1/namespaces/default/pods/x');
      await server.call('DELETE', `/api/v1/namespaces/default/pods/x?dryRun=made-up-${i}`);
    }
    const after = await text();
    expect(after).not.toContain('made-up');
    expect(after.split('\n').length - before).toBeLessThan(200);
    expect(after).toMatch(/apiserver_request_total\{.*resource="configmaps".*code="200"\} 1/);
  } finally {
    await server.stop();
  }
});
