import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CustomResourceDefinitionSpec } from '../../api/generated/apiextensions-v1.ts';
import { until } from '../../kernel/testing/index.ts';
import type { Schema } from '../../machinery/validation/apiextensions/index.ts';
import { startTestServer, type TestAnswer, type TestServer } from '../testing/index.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const spec = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  properties: {
    spec: { type: 'object', properties },
    status: { type: 'object', properties: { replicas: { type: 'integer' } } },
  },
});

type Version = Partial<CustomResourceDefinitionSpec['versions'][number]>;

async function define(
  group: string,
  schema: Schema,
  { version = {}, ...more }: { version?: Version } & Partial<CustomResourceDefinitionSpec> = {},
): Promise<TestAnswer> {
  const answer = await server.call('POST', DEFINITIONS, {
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `things.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
        ...more,
      },
    },
  });
  await until('the kind is served', async () => (await server.call('GET', `/apis/${group}/v1/things`)).status === 200);
  return answer;
}

const path = (group: string, name = '', version = 'v1'): string =>
  `/apis/${group}/${version}/namespaces/default/things${name === '' ? '' : `/${name}`}`;
const thing = (group: string, name: string, content: object, version = 'v1'): object => ({
  apiVersion: `${group}/${version}`,
  kind: 'Thing',
  metadata: { name },
  ...content,
});
const create = (group: string, name: string, content: object): Promise<TestAnswer> =>
  server.call('POST', path(group), { body: thing(group, name, content) });

describe('a definition', () => {
  it('is established and discovered when it is served', async () => {
    await define('first.example.com', spec({ a: { type: 'string' } }), {
      names: { plural: 'things', kind: 'Thing', shortNames: ['th'], categories: ['all'] },
    });
    type Conditions = { type: string; status: string; reason: string }[] | null;
    const conditionsOf = async (): Promise<Conditions> =>
      (
        (await server.call('GET', `${DEFINITIONS}/things.first.example.com`)).body['status'] as {
          conditions: Conditions;
        }
      ).conditions;
    await until('there are conditions', async () => (await conditionsOf()) !== null);
    const conditions = await conditionsOf();
    expect(conditions!.map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ['NamesAccepted', 'True', 'NoConflicts'],
      ['Established', 'True', 'InitialNamesAccepted'],
    ]);
    const { body: list } = await server.call('GET', '/apis/first.example.com/v1');
    expect(list['resources']).toMatchObject([
      { name: 'things', singularName: 'thing', kind: 'Thing', shortNames: ['th'], categories: ['all'] },
    ]);
    expect((await server.call('GET', '/openapi/v3/apis/first.example.com/v1')).text).toContain(
      'com.example.first.v1.Thing',
    );
  });

  it('waits while its names are in use', async () => {
    await define('taken.example.com', spec({}));
    const body = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'others.taken.example.com' },
      spec: {
        group: 'taken.example.com',
        scope: 'Namespaced',
        names: { plural: 'others', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: spec({}) } }],
      },
    };
    await server.call('POST', DEFINITIONS, { body });
    const reason = async (): Promise<unknown> =>
      (
        (await server.call('GET', `${DEFINITIONS}/others.taken.example.com`)).body['status'] as {
          conditions: { reason: string }[] | null;
        }
      ).conditions?.[0]?.reason;
    await until('the names conflict', async () => (await reason()) === 'ListKindConflict');
    await server.call('DELETE', `${DEFINITIONS}/things.taken.example.com`);
    await until('the conflict is over', async () => (await reason()) === 'NoConflicts');
  });

  it('is deleted after its objects, finalizers included', async () => {
    const group = 'going.example.com';
    await define(group, spec({}));
    // At once, perhaps before the definition says that it is established.
    await create(group, 'free', {});
    await create(group, 'held', { metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    const { body } = await server.call('DELETE', `${DEFINITIONS}/things.${group}`);
    expect(body.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    await until('the object is deleted', async () => (await server.call('GET', path(group, 'free'))).status === 404);
    expect((await create(group, 'late', {})).body).toMatchObject({ code: 403, reason: 'Forbidden' });
    await server.call('PATCH', path(group, 'held'), {
      body: { metadata: { finalizers: null } },
      contentType: 'application/merge-patch+json',
    });
    await until(
      'the definition is deleted',
      async () => (await server.call('GET', `${DEFINITIONS}/things.${group}`)).status === 404,
    );
    expect((await server.call('GET', path(group))).text).toBe('404 page not found\n');
  });
});

describe('objects', () => {
  const group = 'objects.example.com';
  beforeAll(() =>
    define(
      group,
      spec({
        a: { type: 'string', maxLength: 5 },
        n: { type: 'integer', default: 3 },
        replicas: { type: 'integer' },
        set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      }),
      {
        version: {
          subresources: {
            status: {},
            scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
          },
          selectableFields: [{ jsonPath: '.spec.a' }],
          additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
        },
      },
    ),
  );

  it('are pruned and defaulted, with warnings about unknown fields', async () => {
    const { status, body, warnings } = await create(group, 'pruned', {
      spec: { a: 'x', zzz: 1 },
      status: { replicas: 9 },
    });
    expect([status, body['spec'], body['status'], body.metadata.generation, warnings]).toEqual([
      201,
      { a: 'x', n: 3 },
      undefined,
      1,
      ['299 - "unknown field \\"spec.zzz\\""'],
    ]);
  });

  it("are refused with upstream's messages", async () => {
    const { status, body } = await create(group, 'wrong', { spec: { a: 'too long', n: 'x', set: ['a', 'a'] } });
    const { causes } = body['details'] as { causes: { field: string; message: string }[] };
    expect([status, causes.map(({ field, message }) => `${field}: ${message}`)]).toEqual([
      422,
      [
        'spec.a: Too long: may not be more than 5 bytes',
        'spec.n: Invalid value: "string": spec.n in body must be of type integer: "string"',
        'spec.set[1]: Duplicate value: "a"',
      ],
    ]);
  });

  it('of another kind or version are refused', async () => {
    expect(
      (await server.call('POST', path(group), { body: { ...thing(group, 'k', {}), kind: 'Thong' } })).body['message'],
    ).toBe(`Thong.${group} "k" is invalid: kind: Invalid value: "Thong": must be Thing`);
    expect(
      (await server.call('POST', path(group), { body: { ...thing(group, 'k', {}), apiVersion: `${group}/v9` } })).body[
        'code'
      ],
    ).toBe(400);
  });

  it('keep spec and status apart, and count generations', async () => {
    await create(group, 'doors', { spec: { a: 'x', replicas: 1 } });
    const merge = { contentType: 'application/merge-patch+json' };
    const status = await server.call('PATCH', `${path(group, 'doors')}/status`, {
      body: { spec: { a: 'y' }, status: { replicas: 2 } },
      ...merge,
    });
    expect([status.body['spec'], status.body['status'], status.body.metadata.generation]).toEqual([
      { a: 'x', n: 3, replicas: 1 },
      { replicas: 2 },
      1,
    ]);
    const scale = await server.call('PATCH', `${path(group, 'doors')}/scale`, {
      body: { spec: { replicas: 5 } },
      ...merge,
    });
    expect(scale.body).toMatchObject({ kind: 'Scale', spec: { replicas: 5 }, status: { replicas: 2 } });
    const applied = await server.call('PATCH', `${path(group, 'doors')}/scale?fieldManager=a&force=true`, {
      contentType: 'application/apply-patch+yaml',
      body: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 6 } },
    });
    expect([applied.status, applied.body['message']]).toEqual([
      500,
      expect.stringContaining('request to convert CR to an invalid group/version: autoscaling/v1'),
    ]);
    const wrong = await server.call('PATCH', `${path(group, 'doors')}/scale`, {
      contentType: 'application/merge-patch+json',
      body: { spec: { replicas: 'x' } },
    });
    expect(wrong.body['message']).toContain('Go struct field ScaleSpec.spec.replicas of type int32');
    const listed = (await server.call('GET', `/apis/${group}/v1`)).body['resources'] as { name: string }[];
    expect(listed.map(({ name }) => name.split('/')[1])).toEqual([undefined, 'status', 'scale']);
    expect((await server.call('GET', path(group, 'doors'))).body.metadata.generation).toBe(2);
  });

  it('are scaled to zero although the schema has a default', async () => {
    const scaled = 'scaled.example.com';
    await define(scaled, spec({ replicas: { type: 'integer', default: 1 } }), {
      version: {
        subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
      },
    });
    await create(scaled, 'x', { spec: { replicas: 2 } });
    const scale = `${path(scaled, 'x')}/scale`;
    await server.call('PUT', scale, { body: { metadata: { name: 'x' }, spec: { replicas: 0 } } });
    expect((await server.call('GET', path(scaled, 'x'))).body['spec']).toEqual({ replicas: 0 });
    const patched = await server.call('PATCH', scale, {
      body: { spec: { replicas: null } },
      contentType: 'application/merge-patch+json',
    });
    expect([patched.status, patched.body['spec']]).toEqual([200, {}]);
  });

  it('are selected by declared fields and shown in declared columns', async () => {
    await create(group, 'sel', { spec: { a: 'sel' } });
    const { body } = await server.call('GET', `${path(group)}?fieldSelector=spec.a%3Dsel`);
    expect((body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)).toEqual(['sel']);
    const table = await server.call('GET', path(group, 'sel'), {
      accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
    });
    expect((table.body['rows'] as { cells: unknown[] }[])[0]!.cells).toEqual(['sel', 'sel']);
  });

  it('keep long integers in every form and in lists', async () => {
    await define('long.example.com', spec({ n: { type: 'integer', format: 'int64' } }));
    const long = '9007199254740993';
    const body = JSON.stringify(thing('long.example.com', 'a', { spec: { n: 0 } })).replace('"n":0', `"n":${long}`);
    const created = await server.call('POST', path('long.example.com'), {
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(created.status).toBe(201);
    for (const name of ['', 'a'])
      for (const [query, accept] of [
        ['', 'application/json'],
        ['?pretty=true', 'application/json'],
        ['', 'application/yaml'],
        ['', 'application/json;as=Table;v=v1;g=meta.k8s.io'],
      ] as const) {
        const includes = accept.includes('Table') ? '?includeObject=Object' : query;
        const answer = await server.call('GET', `${path('long.example.com', name)}${includes}`, {
          headers: { accept },
        });
        expect(answer.text, `${name} ${includes} ${accept}`).toMatch(new RegExp(`"?n"?: ?${long}`));
      }
  });

  it('warn of finalizers without a domain', async () => {
    const { warnings } = await create(group, 'fin', { metadata: { name: 'fin', finalizers: ['hold'] } });
    expect(warnings[0]).toContain('prefer a domain-qualified finalizer name to avoid accidental conflicts');
  });

  it('refuse strategic merge patches', async () => {
    expect(
      (
        await server.call('PATCH', path(group, 'sel'), {
          body: {},
          contentType: 'application/strategic-merge-patch+json',
        })
      ).status,
    ).toBe(415);
  });

  it('are applied by the types of their schema', async () => {
    const apply = (manager: string, set: string[]): Promise<TestAnswer> =>
      server.call('PATCH', `${path(group, 'applied')}?fieldManager=${manager}`, {
        body: thing(group, 'applied', { spec: { set } }),
        contentType: 'application/apply-patch+yaml',
      });
    await apply('one', ['a']);
    expect((await apply('two', ['b'])).body['spec']).toMatchObject({ set: ['a', 'b'] });
  });

  it('are applied although validation refuses them, where the schema has no type for apply', async () => {
    const loose = 'loose.example.com';
    await define(
      loose,
      spec({
        port: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
        when: { type: 'string', format: 'date-time' },
        empty: { type: 'object' },
        open: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { inner: { type: 'object', properties: { a: { type: 'string' } } } },
        },
      }),
    );
    const apply = async (content: object): Promise<unknown[]> => {
      const { status, body } = await server.call('PATCH', `${path(loose, 'x')}?fieldManager=m&fieldValidation=Ignore`, {
        body: thing(loose, 'x', { spec: content }),
        contentType: 'application/apply-patch+yaml',
      });
      return [status, status < 300 ? body['spec'] : (body['message'] as string).split(': ').slice(1).join(': ')];
    };
    expect(await apply({ port: { a: 1 } })).toEqual([
      422,
      expect.stringContaining('spec.port in body must be of type integer,string: "object"'),
    ]);
    expect((await apply({ port: ['a'] }))[0]).toBe(422);
    expect((await apply({ when: 5 }))[0]).toBe(422);
    expect((await apply({ when: {} }))[0]).toBe(500);
    expect(await apply({ empty: { gone: 1 } })).toEqual([201, { empty: {} }]);
    expect(await apply({ open: { other: 1, inner: { a: 'b', more: 1 } } })).toEqual([
      200,
      { open: { other: 1, inner: { a: 'b' } } },
    ]);
  });
});

it('dependencies of a number are refused as dependencies', async () => {
  const schema = { type: 'object', dependencies: { a: 1 } } as unknown as Schema;
  const answer = await server.call('POST', `${DEFINITIONS}?dryRun=All`, {
    body: {
      metadata: { name: 'things.numbered.example.com' },
      spec: {
        group: 'numbered.example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    },
  });
  expect([answer.status, answer.body['message']]).toEqual([
    422,
    expect.stringContaining('dependencies: Forbidden: dependencies is not supported'),
  ]);
});

describe('a schema that changes', () => {
  const group = 'changing.example.com';
  const patch = (value: unknown): Promise<TestAnswer> =>
    server.call('PATCH', `${DEFINITIONS}/things.${group}`, {
      body: [{ op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/b', value }],
      contentType: 'application/json-patch+json',
    });

  it('applies defaults on read, and accepts unchanged invalid values', async () => {
    await define(group, spec({ a: { type: 'string' } }));
    await create(group, 'old', { spec: { a: 'long enough' } });
    await patch({ type: 'string', default: 'late' });
    await until(
      'the default is served',
      async () =>
        ((await server.call('GET', path(group, 'old'))).body['spec'] as Record<string, unknown>)['b'] === 'late',
    );
    await server.call('PATCH', `${DEFINITIONS}/things.${group}`, {
      body: [
        { op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a/maxLength', value: 3 },
      ],
      contentType: 'application/json-patch+json',
    });
    await until(
      'the new schema is used',
      async () => (await create(group, 'new', { spec: { a: 'long enough' } })).status === 422,
    );
    const label = await server.call('PATCH', path(group, 'old'), {
      body: { metadata: { labels: { l: '1' } } },
      contentType: 'application/merge-patch+json',
    });
    expect(label.status).toBe(200);
    const change = await server.call('PATCH', path(group, 'old'), {
      body: { spec: { a: 'also too long' } },
      contentType: 'application/merge-patch+json',
    });
    expect(change.status).toBe(422);
  });
});

describe('watches', () => {
  const follow = async (target: string, accept = '*/*'): Promise<{ events: string[]; done: Promise<void> }> => {
    const { response } = await server.call('GET', target, { headers: { accept } });
    const events: string[] = [];
    const sink = {
      write: (frame: Buffer | string) => events.push(String(frame)),
      pending: 0,
      signal: new AbortController().signal,
    };
    return {
      events,
      done: Promise.resolve(response.stream!(sink as unknown as Parameters<NonNullable<typeof response.stream>>[0])),
    };
  };

  it('as tables carry the whole object where the client wants it', async () => {
    const group = 'rows.example.com';
    await define(group, spec({ a: { type: 'string' } }));
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { events } = await follow(`${path(group)}?watch=true&includeObject=Object`, table);
    const { body } = await create(group, 'one', { spec: { a: 'x' } });
    await until('the event has arrived', () => events.length === 1);
    const event = JSON.parse(events[0]!) as { type: string; object: Record<string, unknown> };
    expect(event).toMatchObject({
      type: 'ADDED',
      object: {
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion: body.metadata.resourceVersion },
        columnDefinitions: [{ name: 'Name' }, { name: 'Age' }],
        rows: [{ cells: ['one', expect.any(String)], object: body }],
      },
    });
  });

  it('go on while the schema changes, and end with the definition', async () => {
    const group = 'watched.example.com';
    await define(group, spec({ a: { type: 'string' } }));
    const { events, done } = await follow(`${path(group)}?watch=true`);
    await create(group, 'one', {});
    await server.call('PATCH', `${DEFINITIONS}/things.${group}`, {
      body: [
        {
          op: 'add',
          path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/b',
          value: { type: 'string' },
        },
      ],
      contentType: 'application/json-patch+json',
    });
    await until(
      'the new schema is used',
      async () => (await create(group, 'two', { spec: { b: 'x' } })).warnings.length === 0,
    );
    expect(events.filter((event) => event.includes('"ADDED"')).length).toBeGreaterThanOrEqual(2);
    await server.call('DELETE', `${DEFINITIONS}/things.${group}`);
    await done;
    expect(events.at(-1)).toContain('"DELETED"');
  });
});

describe('several versions', () => {
  const group = 'versions.example.com';

  it('are views of the stored object', async () => {
    const version = (name: string, properties: Record<string, Schema>, more: Version = {}): object => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: spec(properties) },
      ...more,
    });
    const versions = [
      version('v1', { a: { type: 'string' }, b: { type: 'string', default: 'b' } }),
      version('v2', { a: { type: 'string' }, c: { type: 'string' } }),
      version('v1beta1', { a: { type: 'string' } }, { deprecated: true }),
    ];
    await define(group, spec({}), { versions: versions as CustomResourceDefinitionSpec['versions'] });
    const made = await server.call('POST', path(group, '', 'v2'), {
      body: thing(group, 'x', { spec: { a: '1', c: 'lost' } }, 'v2'),
    });
    expect([made.body.apiVersion, made.body['spec']]).toEqual([`${group}/v2`, { a: '1' }]);
    expect((await server.call('GET', path(group, 'x'))).body['spec']).toEqual({ a: '1', b: 'b' });
    const warnings = [`299 - "${group}/v1beta1 Thing is deprecated; use ${group}/v2 Thing"`];
    expect((await server.call('GET', path(group, 'x', 'v1beta1'))).warnings).toEqual(warnings);
    // Whatever becomes of the request.
    const refused = [
      await server.call('GET', `${path(group, 'x', 'v1beta1')}/status`),
      await server.call('PUT', path(group, '', 'v1beta1'), { body: {} }),
      await server.call('GET', path(group, 'x', 'v1beta1'), { accept: 'text/html' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([404, 400, 406]);
    for (const answer of refused) expect(answer.warnings).toEqual(warnings);
    expect((await server.call('GET', `/apis/${group}`)).body['preferredVersion']).toMatchObject({ version: 'v2' });
  });
});

describe('hostile definitions', () => {
  it('with expensive rules are refused, with deep schemas too', async () => {
    const list: Schema = {
      type: 'array',
      items: { type: 'string' },
      'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, self.all(z, x + y != z)))' }],
    };
    const answer = await server.call('POST', DEFINITIONS, { body: definition('costly.example.com', spec({ list })) });
    expect([answer.status, answer.text.includes('estimated rule cost exceeds budget')]).toEqual([422, true]);
    const deep = `${'{"type":"object","properties":{"a":'.repeat(400)}{"type":"string"}${'}}'.repeat(400)}`;
    const body = JSON.stringify(definition('deep.example.com', {})).replace(
      '"openAPIV3Schema":{}',
      `"openAPIV3Schema":${deep}`,
    );
    expect((await server.call('POST', DEFINITIONS, { body })).text).toContain('exceeded max depth of 300 messages');
  });

  it('with catastrophic patterns match in linear time', async () => {
    const group = 'pattern.example.com';
    await define(group, spec({ a: { type: 'string', pattern: '^(a+)+$' } }));
    const { status } = await create(group, 'x', { spec: { a: `${'a'.repeat(50_000)}!` } });
    expect(status).toBe(422);
  });
});

const definition = (group: string, schema: Schema): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

it('measures how long rules take to compile and to evaluate', async () => {
  const group = 'measured.example.com';
  const counts = async (): Promise<number[]> => {
    const { text } = await server.call('GET', '/metrics', { accept: '*/*' });
    return ['compilation', 'evaluation'].map((what) =>
      Number(new RegExp(`^apiserver_cel_${what}_duration_seconds_count (\\d+)$`, 'm').exec(text)?.[1]),
    );
  };
  const rule = { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }] };
  await define(group, spec({ size: rule as Schema }));
  const [compiled = Number.NaN, evaluated = Number.NaN] = await counts();
  for (const name of ['a', 'b']) await create(group, name, { spec: { size: 1 } });
  expect(await counts()).toEqual([compiled + 1, evaluated + 2]);
});

it('warns of rules that an unchanged value breaks after they were tightened', async () => {
  const group = 'tightened.example.com';
  const rule = (text: string): Schema =>
    spec({ size: { type: 'integer', 'x-kubernetes-validations': [{ rule: text }] } });
  await define(group, rule('self > 0'));
  await create(group, 'a', { spec: { size: 1 } });
  const patch = (target: string, body: object): Promise<TestAnswer> =>
    server.call('PATCH', target, { body, contentType: 'application/merge-patch+json' });
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: rule('self > 5') } }];
  await patch(`${DEFINITIONS}/things.${group}`, { spec: { versions } });
  const warning = 'spec.size: Invalid value: 1: failed rule: self > 5';
  await until('the new rule is in force', async () => {
    const { status, warnings } = await patch(path(group, 'a'), { metadata: { labels: { a: 'b' } } });
    expect(status).toBe(200);
    return warnings.some((text) => text.includes(warning));
  });
  const changed = await patch(path(group, 'a'), { spec: { size: 2 } });
  expect([changed.status, changed.warnings]).toEqual([422, []]);
});

it('a definition that is being deleted has no verbs that write objects', async () => {
  const group = 'terminating.example.com';
  await define(group, spec({ a: { type: 'string' } }), { version: { subresources: { status: {} } } });
  await server.call('POST', path(group), {
    body: { ...thing(group, 'held', {}), metadata: { name: 'held', finalizers: ['example.com/held'] } },
  });
  await server.call('DELETE', `${DEFINITIONS}/things.${group}`);
  const verbs = async (): Promise<string[][]> => {
    const { body } = await server.call('GET', `/apis/${group}/v1`);
    return (body['resources'] as { verbs: string[] }[]).map((resource) => resource.verbs);
  };
  await until('it is terminating', async () => (await verbs())[0]!.length === 5);
  expect(await verbs()).toEqual([
    ['delete', 'deletecollection', 'get', 'list', 'watch'],
    ['get', 'patch', 'update'],
  ]);
  expect(await create(group, 'late', {})).toMatchObject({
    status: 403,
    body: {
      message: `things.${group} "late" is forbidden: create not allowed while custom resource definition is terminating`,
    },
  });
});
