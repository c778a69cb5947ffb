/** Odd paths, and methods where nobody expects them: plain handlers, web services and resources differ. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const PAGE = '404 page not found\n';
const NONE = 'the server could not find the requested resource';
const METHOD = 'the server does not allow this method on the requested resource';
const N = '/api/v1/namespaces/default';

const messageOf = ({ body, text }: Awaited<ReturnType<TestServer['call']>>): unknown => body?.['message'] ?? text;

describe('a resource', () => {
  it.each([
    ['GET', `${N}/configmaps/`, 200, undefined],
    ['GET', `${N}/configmaps//`, 200, undefined],
    ['GET', `${N}/configmaps///`, 200, undefined],
    ['GET', `${N}//`, 200, undefined],
    ['GET', '/api/v1/namespaces//', 200, undefined],
    ['GET', '/api/v1/namespaces//configmaps', 200, undefined],
    ['GET', '/api/v1/namespaces//configmaps/', 200, undefined],
    ['GET', `${N}//configmaps`, 404, NONE],
    ['GET', `${N}/configmaps//a`, 404, NONE],
    ['GET', '/api/v1//configmaps', 404, NONE],
    ['GET', '/api/v1/namespaces///configmaps', 404, NONE],
    ['GET', `${N}/configmaps/a/`, 404, 'configmaps "a" not found'],
    ['GET', `${N}/configmaps/a//`, 404, 'configmaps "a" not found'],
    ['GET', `${N}/pods/a/status//`, 404, 'pods "a" not found'],
    ['GET', `${N}/pods/a//status`, 404, NONE],
    ['GET', `${N}/configmaps/..`, 400, 'Name parameter invalid: "..": may not be \'..\''],
    ['GET', `${N}/configmaps/.`, 400, 'Name parameter invalid: ".": may not be \'.\''],
    ['DELETE', `${N}/configmaps/%2e%2e`, 400, 'Name parameter invalid: "..": may not be \'..\''],
    ['GET', `${N}/configmaps/a%25b`, 400, 'Name parameter invalid: "a%b": may not contain \'%\''],
    ['GET', `${N}/configmaps/a%2Fb`, 404, NONE],
    ['GET', '/api/v1/namespaces//configmaps/a', 400, 'Namespace parameter required.'],
    ['DELETE', '/api/v1/namespaces//configmaps', 400, 'Namespace parameter required.'],
    ['PUT', `${N}/configmaps//`, 405, METHOD],
    ['PATCH', '/api/v1/namespaces//configmaps', 405, METHOD],
    ['PUT', '/api/v1/nodes//', 405, METHOD],
    ['POST', '/api/v1/configmaps', 405, METHOD],
    ['DELETE', '/api/v1/configmaps', 405, METHOD],
    ['HEAD', `${N}/configmaps//`, 405, METHOD],
  ])('%s %s: %i', async (method, path, status, message) => {
    const answer = await server.call(method, path);
    expect([answer.status, status === 200 ? undefined : messageOf(answer)]).toEqual([status, message]);
  });

  it('is created with slashes after its path, and not without its namespace', async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    expect((await server.call('POST', `${N}/configmaps//?dryRun=All`, { body })).status).toBe(201);
    const refused = await server.call('POST', '/api/v1/namespaces//configmaps?dryRun=All', { body });
    expect(refused.status).toBe(422);
    expect(refused.body['message']).toBe('ConfigMap "a" is invalid: metadata.namespace: Required value');
  });
});

describe('another path', () => {
  const ANY = ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS'];
  const OTHERS = ANY.slice(1);
  const cases: [string, readonly string[], number, string | undefined][] = [
    // Plain handlers: any method, exactly this path.
    ['/livez', ANY, 200, undefined],
    ['/livez/', ANY, 404, PAGE],
    ['/livez/etcd', ANY, 200, undefined],
    ['/livez/etcd/', ANY, 404, PAGE],
    ['/metrics', ANY, 200, undefined],
    ['/metrics/', ANY, 404, PAGE],
    ['/openapi/v3', ANY, 200, undefined],
    ['/openapi/v2/', ANY, 404, PAGE],
    ['/apis', ANY, 200, undefined],
    ['/apis/', ANY, 200, undefined],
    ['/apis/apps', ANY, 200, undefined],
    ['/apis/apps/', ANY, 200, undefined],
    ['/apis/nope', ANY, 404, PAGE],
    ['/apis/nope/v1', ANY, 404, PAGE],
    ['/apis/nope/v1/things', ANY, 404, PAGE],
    ['/apis/nope/v1/namespaces/default/things/a', [...ANY, 'PATCH', 'DELETE'], 404, PAGE],
    ['/apis/apps/v9/things', ANY, 404, NONE],
    ['/api/v2/things', ANY, 404, NONE],
    // Web services: GET, and slashes after the path.
    ['/version', ['GET'], 200, undefined],
    ['/version/', ['GET'], 200, undefined],
    ['/version', OTHERS, 405, METHOD],
    ['/version/x', ANY, 404, NONE],
    ['/api', ['GET'], 200, undefined],
    ['/api/', ['GET'], 200, undefined],
    ['/api', OTHERS, 405, METHOD],
    ['/api/v1/', ['GET'], 200, undefined],
    ['/api/v1', OTHERS, 405, METHOD],
    ['/api/v2', ANY, 404, NONE],
    ['/apis/apps/v1/', ['GET'], 200, undefined],
    ['/apis/apps/v1', OTHERS, 405, METHOD],
    ['/apis/apps/v9', ANY, 404, NONE],
    ['/openid/v1/jwks/', ['GET'], 200, undefined],
    ['/openid/v1/jwks', OTHERS, 405, METHOD],
    ['/openid/v1/x', ANY, 404, PAGE],
  ];
  it.each(cases)('%s with %j: %i', async (path, methods, status, message) => {
    for (const method of methods) {
      const answer = await server.call(method, path, { accept: '*/*' });
      expect([method, answer.status, status === 200 ? undefined : messageOf(answer)]).toEqual([
        method,
        status,
        message,
      ]);
    }
  });

  it.each(['/', '/index.html'])('%s lists the paths below it', async (path) => {
    const answer = await server.call('POST', path, { accept: 'text/html' });
    expect([answer.status, answer.response.headers['content-type']]).toEqual([200, 'application/json']);
    const paths = answer.body['paths'] as string[];
    expect(paths).toEqual([...paths].sort());
    expect(paths).toEqual(
      expect.arrayContaining([
        '/.well-known/openid-configuration',
        '/api',
        '/api/v1',
        '/apis',
        '/apis/',
        '/apis/apps',
        '/apis/apps/v1',
        '/livez/poststarthook/rbac/bootstrap-roles',
        '/metrics',
        '/openapi/v3',
        '/openapi/v3/',
        '/version',
      ]),
    );
    for (const one of paths.filter((listed) => listed !== '/openapi/v3/'))
      expect([one, (await server.call('GET', one, { accept: '*/*' })).status]).toEqual([one, 200]);
  });

  it.each([
    [
      '/apis',
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      '/apis/apps',
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      '/api',
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      '/apis/apps/v1',
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    ['/version', '406: Not Acceptable\n\nAvailable representations: application/json'],
  ])('%s names its media types', async (path, message) => {
    const answer = await server.call('GET', path, { accept: 'text/html' });
    expect([answer.status, answer.body['message']]).toEqual([406, message]);
  });
});

describe('a deprecated kind', () => {
  const META = 'g=meta.k8s.io;v=v1';
  it.each([
    ['application/json', 200, 1],
    [`application/json;as=Nope;${META}`, 406, 1],
    ['application/*', 406, 0],
  ])('warns with %s: %i, %i', async (accept, status, count) => {
    const answer = await server.call('GET', `${N}/endpoints`, { accept });
    expect([answer.status, answer.warnings.length]).toEqual([status, count]);
  });
});
