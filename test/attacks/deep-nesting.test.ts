/**
 * Nesting without end: what a document may nest is bounded where it is read, and everything that walks an object holds
 * what is within the bound.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api/index.ts';
import type { CallOptions, TestAnswer, TestServer } from '../../src/apiserver/testing/index.ts';
import { MAX_DEPTH } from '../../src/machinery/decode/scan-json.ts';
import { encodeProtobuf } from '../../src/machinery/protobuf/index.ts';
import { everything } from '../requires.ts';
import { APPLY, JSON_PATCH, MAPS, MERGE, REVISIONS, startThingsServer, THINGS } from './things-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startThingsServer();
});
afterAll(() => server.stop());

const call = (method: string, target: string, options?: CallOptions): Promise<TestAnswer> =>
  server.call(method, target, options);

describe('nesting', () => {
  const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const arrays = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
  const LEVELS = [
    100,
    MAX_DEPTH - 10,
    MAX_DEPTH,
    1_999,
    5_000,
    9_999,
    10_001,
    ...(everything ? [100_000, 400_000] : [100_000]),
  ];
  const shapes = [['objects', objects] as const, ['arrays', arrays] as const];
  const rows = LEVELS.flatMap((levels) => shapes.map(([name, nest]) => [levels, name, nest] as const));
  const fits = (levels: number): boolean => levels <= MAX_DEPTH - 10;
  const YAML_LEVELS = 250;

  function expectFits(levels: number, { status, body }: TestAnswer, right: number): void {
    if (fits(levels)) expect([status, body['message']]).toEqual([right, undefined]);
    else expect([status, String(body['message']).includes('exceeded max depth')]).toEqual([400, true]);
  }

  it.each(rows)('%i levels of %s in a custom resource', async (levels, shape, nest) => {
    const name = `${shape}-${levels}`;
    const path = `${THINGS}/${name}`;
    const deep = nest(levels);
    const head = `"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"${name}"}`;
    const thing = (member: string): string => `{${head},"spec":{"${member}":${deep}}}`;
    expectFits(levels, await call('POST', THINGS, { body: thing('x') }), 201);
    if (!fits(levels)) await call('POST', THINGS, { body: `{${head},"spec":{}}` });
    expectFits(levels, await call('PATCH', path, { body: `{"spec":{"y":${deep}}}`, contentType: MERGE }), 200);
    expectFits(
      levels,
      await call('PATCH', path, { body: `[{"op":"add","path":"/spec/z","value":${deep}}]`, contentType: JSON_PATCH }),
      200,
    );
    expectFits(
      levels,
      await call('PUT', path, {
        body: `{${head.replace('{"name"', `{"resourceVersion":"${await version(path)}","name"`)},"spec":{"x":${deep}}}`,
      }),
      200,
    );
    for (const member of ['x', 'w'])
      expectFits(
        levels,
        await call('PATCH', `${path}?fieldManager=m&force=true`, { body: thing(member), contentType: APPLY }),
        200,
      );
    // What comes later finds an object that it can work with.
    expect(
      (await call('PATCH', `${path}?fieldManager=k`, { body: `{${head},"spec":{"v":1}}`, contentType: APPLY })).status,
    ).toBe(200);
    expect((await call('PATCH', path, { body: { metadata: { labels: { a: 'b' } } }, contentType: MERGE })).status).toBe(
      200,
    );
    for (const accept of ['application/json', 'application/yaml', 'application/json;as=Table;g=meta.k8s.io;v=v1']) {
      expect((await call('GET', path, { accept })).status).toBe(200);
      expect((await call('GET', THINGS, { accept })).status).toBe(200);
    }
    expect((await call('DELETE', path)).status).toBe(200);
  });

  it.each(rows)('%i levels of %s in a built-in kind', async (levels, shape, nest) => {
    const name = `${shape}-${levels}`;
    const body = `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"${name}"},"data":{"a":${nest(levels)}},"revision":1}`;
    expectFits(levels, await call('POST', REVISIONS, { body }), 201);
    expectFits(
      levels,
      await call('PATCH', `${REVISIONS}/${name}?fieldManager=m&force=true`, { body, contentType: APPLY }),
      200,
    );
    const fields = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":${objects(levels).replaceAll('"a"', '"f:a"').replace('1', '{}')}}]}}`;
    expect((await call('POST', `${MAPS}?dryRun=All`, { body: fields })).status).toBeLessThan(500);
    const annotated = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name,
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': `{"apiVersion":"v1","data":${nest(levels)}}`,
        },
      },
    };
    expect((await call('POST', MAPS, { body: annotated })).status).toBeLessThan(500);
    expect(
      (
        await call('PATCH', `${MAPS}/${name}?fieldManager=kubectl`, {
          body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
          contentType: APPLY,
        })
      ).status,
    ).toBeLessThan(500);
    if (fits(levels))
      expect(
        (await call('GET', `${REVISIONS}/${name}`, { accept: 'application/vnd.kubernetes.protobuf' })).status,
      ).toBe(200);
  });

  it.each(rows)('%i levels of %s inside of protobuf', async (levels, _shape, nest) => {
    // A text of the same length holds the place, so that the lengths in the encoding are right.
    const place = 'x'.repeat(nest(levels).length - 2);
    const typeMeta = { apiVersion: 'apps/v1', kind: 'ControllerRevision' };
    const object = { ...typeMeta, metadata: { name: 'proto' }, revision: 1, data: { deep: place } };
    const encoded = encodeProtobuf(
      schema.kind({ group: 'apps', version: 'v1', kind: 'ControllerRevision' })!,
      object,
      typeMeta,
    );
    const body = Buffer.from(encoded.toString('latin1').replace(`"${place}"`, nest(levels)), 'latin1');
    const answer = await sendBytes(`${REVISIONS}?dryRun=All`, body);
    if (fits(levels)) expect(answer).toBe(201);
    else expect(answer).toBe(400);
  });

  it.each(
    LEVELS.flatMap((levels) =>
      [['flow', arrays(levels)] as const, ['block', '- '.repeat(levels) + '1'] as const].map(
        (row) => [levels, ...row] as const,
      ),
    ),
  )('%i levels of YAML: %s', async (levels, style, deep) => {
    const name = `yaml-${style}-${levels}`;
    const body = `apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: ${name}\nspec:\n  x:\n    ${deep}\n`;
    const wanted = (right: number, { status, body: answer }: TestAnswer): void => {
      if (levels <= YAML_LEVELS) expect(status).toBe(right);
      else expect([status, String(answer['message']).includes('exceeded max depth')]).toEqual([400, true]);
    };
    wanted(201, await call('POST', THINGS, { body, contentType: 'application/yaml' }));
    wanted(200, await call('PATCH', `${THINGS}/${name}?fieldManager=m&force=true`, { body, contentType: APPLY }));
  });

  it('does not grow by patches', async () => {
    const half = objects(MAX_DEPTH / 2);
    await call('POST', THINGS, {
      body: `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"grown"},"spec":{"a":${half}}}`,
    });
    const place = `/spec${'/a'.repeat(MAX_DEPTH / 2)}`;
    const patches = [
      [{ op: 'add', path: place, value: JSON.parse(half) as unknown }],
      [{ op: 'copy', from: '/spec', path: place }],
      [
        { op: 'add', path: '/spec/b', value: JSON.parse(half) as unknown },
        { op: 'move', from: '/spec/b', path: place },
      ],
      Array.from({ length: 20 }, () => ({ op: 'copy', from: '/spec', path: '/spec/b' })),
    ];
    const answers = [];
    for (const body of patches)
      answers.push((await call('PATCH', `${THINGS}/grown`, { body, contentType: JSON_PATCH })).status);
    expect(answers.slice(0, 3)).toEqual([400, 400, 400]);
    expect(answers[3]).toBeLessThan(500);
    expect(
      (
        await call('PATCH', `${THINGS}/grown?fieldManager=m`, {
          body: '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"grown"},"spec":{"c":1}}',
          contentType: APPLY,
        })
      ).status,
    ).toBe(200);
  });

  const version = async (path: string): Promise<string> =>
    (await call('GET', path)).body.metadata.resourceVersion ?? '';

  async function sendBytes(target: string, body: Buffer): Promise<number> {
    const [path, query] = target.split('?');
    const response = await server.pipeline.handle({
      method: 'POST',
      path: path!,
      query: new URLSearchParams(query),
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf', accept: 'application/json' },
      readBody: () => Promise.resolve(body),
      user: { name: 'admin', groups: ['system:masters'] },
      remoteAddress: '127.0.0.1',
      signal: server.ctx.signal,
    });
    return response.status;
  }
});
