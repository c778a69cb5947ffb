import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ flags: { v: '2', 'bind-address': '127.0.0.1' } });
});
afterAll(() => server.stop());

const get = async (path: string, accept = '*/*'): Promise<{ status: number; text: string; type: unknown }> => {
  const { status, text, response } = await server.call('GET', path, { accept });
  return { status, text, type: response.headers['content-type'] };
};
const structured = (kind: string, version: string): string =>
  `application/json;as=${kind};g=config.k8s.io;v=${version}`;

describe('pages for operators', () => {
  it('/statusz says what runs', async () => {
    const { text, type } = await get('/statusz');
    expect(type).toBe('text/plain; charset=utf-8');
    expect(text).toMatch(
      /^\napiserver statusz\nWarning: .*\n\nStarted: \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d UTC \d{4}\nUp: 0 hr 00 min \d\d sec\n/,
    );
    const object = await get('/statusz', structured('Statusz', 'v1beta1'));
    expect(object.type).toBe('application/json;g=config.k8s.io;v=v1beta1;as=Statusz');
    expect(JSON.parse(object.text)).toMatchObject({
      kind: 'Statusz',
      binaryVersion: '1.36.4',
      emulationVersion: '1.36',
    });
  });

  it('/flagz has the flags in order', async () => {
    expect((await get('/flagz')).text).toMatch(/\nbind-address=127\.0\.0\.1\nv=2\n$/);
    const { response, body } = await server.call('GET', '/flagz', { accept: structured('Flagz', 'v1alpha1') });
    expect(body['flags']).toEqual({ v: '2', 'bind-address': '127.0.0.1' });
    expect(response.headers['warning']).toContain('This version of the flagz endpoint is deprecated');
  });

  it.each(['application/json', structured('Flagz', 'v1'), structured('Statusz', 'v1beta1')])(
    '/flagz has no %s',
    async (accept) => {
      const { status, text } = await get('/flagz', accept);
      expect([status, text]).toEqual([406, expect.stringContaining('application/json, application/yaml, text/plain')]);
    },
  );

  it('/debug/flags/v takes a number', async () => {
    expect((await get('/debug/flags/v')).status).toBe(406);
    const put = (value: string): ReturnType<typeof server.call> =>
      server.call('PUT', '/debug/flags/v', { accept: '*/*', body: value });
    expect((await put('4')).text).toBe('successfully set klog.logging.verbosity to 4');
    expect((await put('x')).status).toBe(400);
  });

  it('/metrics/slis counts what health checks said', async () => {
    await get('/livez');
    const { text, type } = await get('/metrics/slis');
    expect(type).toContain('text/plain; version=0.0.4');
    expect(text).toContain('kubernetes_healthcheck{name="ping",type="livez"} 1');
    expect(text).toContain('kubernetes_healthchecks_total{name="ping",status="success",type="livez"} 1');
  });
});
