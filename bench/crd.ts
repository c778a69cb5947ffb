import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Definition } from '../src/apiserver/crd/serve-definition.ts';
import { versionResources, storedKindOf } from '../src/apiserver/crd/serve-definition.ts';
import type { ApiRequest } from '../src/apiserver/request/request.ts';
import { ResourceCache } from '../src/apiserver/storage/resource-cache.ts';
import { startTestServer, type TestServer } from '../src/apiserver/testing/index.ts';
import type { Schema } from '../src/machinery/validation/apiextensions/index.ts';
import { DEFAULT_VALIDATION_CONTEXT, validateCreate } from '../src/machinery/validation/index.ts';
import { callsPerSecond, type BenchOptions, type Row } from './harness.ts';

export const name = 'crd';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const LEAVES: readonly Schema[] = [
  { type: 'string', maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
  { type: 'integer', minimum: 0, maximum: 65535 },
  { type: 'boolean', default: false },
  { type: 'string', enum: ['Always', 'IfNotPresent', 'Never'] },
  { type: 'array', maxItems: 20, items: { type: 'string', maxLength: 63 } },
  { type: 'object', additionalProperties: { type: 'string', maxLength: 63 }, maxProperties: 10 },
];

/** A large operator's definition: 2,000 properties in groups of twenty, about a megabyte, a rule for every group. */
function largeSchema(): Schema {
  const groups: Record<string, Schema> = {};
  for (let group = 0; group < 100; group++) {
    const properties: Record<string, Schema> = {};
    for (let i = 0; i < 19; i++)
      properties[`field${i}`] = {
        description: 'What this field is for, at some length. '.repeat(12),
        ...LEAVES[i % LEAVES.length]!,
      };
    groups[`group${group}`] = {
      type: 'object',
      properties,
      'x-kubernetes-validations': [{ rule: '!has(self.field1) || self.field1 < 65000', message: 'too many' }],
    };
  }
  return { type: 'object', properties: { spec: { type: 'object', properties: groups } } };
}

const definition = (plural: string, schema: Schema): Definition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com`, generation: 1 },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural, singular: plural.slice(0, -1), kind: 'Thing', listKind: 'ThingList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

/** About 10 KB of what the schema describes. */
function sample(): { apiVersion: string; kind: string; metadata: object; spec: Record<string, object> } {
  const spec: Record<string, object> = {};
  for (let group = 0; group < 20; group++) {
    const fields: Record<string, unknown> = {};
    for (let i = 0; i < 19; i++) {
      const values = [
        'some-name-of-medium-length',
        8080,
        true,
        'IfNotPresent',
        ['first-item', 'second-item'],
        { app: 'web', tier: 'front' },
      ];
      fields[`field${i}`] = values[i % values.length];
    }
    spec[`group${group}`] = fields;
  }
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a', namespace: 'default' }, spec };
}

/** Definitions of the size of large operators', and the objects that they describe. */
export async function run({ durationMs }: BenchOptions): Promise<Row[]> {
  const schema = largeSchema();
  const large = definition('things', schema);
  const stored = storedKindOf(large);
  const [served] = versionResources(large, {
    cache: new ResourceCache(stored, 0),
    webhook: undefined,
    compileRules: (compile) => compile(),
  });
  const body = Buffer.from(JSON.stringify(sample()));
  const { object } = served!.decode!({ body, contentType: 'json', expected: served! });
  if (validateCreate(served!, object, DEFAULT_VALIDATION_CONTEXT).length > 0)
    throw new Error('the sample is not valid');
  const milliseconds = (work: () => void): number => 1e3 / callsPerSecond(work, durationMs);
  return [
    {
      work: `create a definition of ${Math.round(JSON.stringify(large).length / 1024)} KB`,
      value: await createMs(large),
      unit: 'ms',
      atMost: 300,
    },
    ...(await othersMeanwhile(large)),
    {
      work: `decode, prune and default an object of ${Math.round(body.length / 1024)} KB`,
      value: milliseconds(() => void served!.decode!({ body, contentType: 'json', expected: served! })),
      unit: 'ms',
      atMost: 0.5,
    },
    {
      work: 'validate it, rules included',
      value: milliseconds(() => void validateCreate(served!, object, DEFAULT_VALIDATION_CONTEXT)),
      unit: 'ms',
      atMost: 0.5,
    },
    { work: 'memory of 500 definitions', value: await megabytesOf(500), unit: 'MB', atMost: 100 },
  ];
}

/** From the request until the kind is served, in a server that has done it before. */
async function createMs(large: Definition): Promise<number> {
  const server = await startTestServer();
  try {
    let best = Infinity;
    for (let i = 0; i < 5; i++) {
      const plural = `things${i}s`;
      const body = definition(plural, large.spec.versions[0]!.schema!.openAPIV3Schema!);
      body.spec.names = { plural, kind: `Thing${i}` };
      const started = process.hrtime.bigint();
      const { status, text } = await server.call('POST', PATH, { body });
      if (status !== 201) throw new Error(text);
      while ((await server.call('GET', `/apis/example.com/v1/${plural}`)).status !== 200)
        await server.ctx.clock.yield();
      best = Math.min(best, Number(process.hrtime.bigint() - started) / 1e6);
    }
    return best;
  } finally {
    await server.stop();
  }
}

/**
 * What others notice while such definitions are made and described: the longest turn of the event loop in processor time
 * (other programs on the machine do not count), and how long they wait for a small object. The middle of several.
 */
async function othersMeanwhile(large: Definition): Promise<Row[]> {
  const server = await startTestServer();
  const documents = [undefined, '/openapi/v2', '/openapi/v3', '/openapi/v3/apis/example.com/v1'];
  try {
    const longest: number[][] = documents.map(() => []);
    const waits: number[] = [];
    for (let i = 0; i < 8; i++) {
      const plural = `large${i}s`;
      const body = definition(plural, large.spec.versions[0]!.schema!.openAPIV3Schema!);
      body.spec.names = { plural, kind: `Large${i}` };
      const text = JSON.stringify(body);
      for (const [at, target] of documents.entries()) {
        const made =
          target === undefined
            ? server.pipeline.handle(requestOf(server, 'POST', PATH, text))
            : server.pipeline.handle(requestOf(server, 'GET', target));
        const turns = await turnsUntil(server, made, waits);
        if (at === 0)
          while ((await server.call('GET', `/apis/example.com/v1/${plural}`)).status !== 200)
            turns.push(...(await turnsUntil(server, server.ctx.clock.yield(), waits)));
        // The first ones are compiled on the way.
        if (i >= 3) longest[at]!.push(Math.max(...turns));
      }
    }
    waits.sort((a, b) => a - b);
    return [
      ...documents.map((target, at): Row => ({
        work:
          target === undefined ? 'longest turn while it is created' : `longest turn of the first ${target} after it`,
        value: middle(longest[at]!),
        unit: 'ms',
        atMost: 20,
      })),
      { work: 'GET of others meanwhile, p99', value: waits[Math.floor(waits.length * 0.99)]!, unit: 'ms', atMost: 50 },
    ];
  } finally {
    await server.stop();
  }
}

const middle = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

const requestOf = (server: TestServer, method: string, path: string, body = ''): ApiRequest => ({
  method,
  path,
  query: new URLSearchParams(),
  headers: { accept: 'application/json', 'content-type': 'application/json' },
  readBody: () => Promise.resolve(Buffer.from(body)),
  user: { name: 'admin', groups: ['system:masters'] },
  remoteAddress: '127.0.0.1',
  signal: server.ctx.signal,
});

/** Processor time of every turn until `work` is done, with a small request of somebody else in each. */
async function turnsUntil(server: TestServer, work: Promise<unknown>, waits: number[]): Promise<number[]> {
  const turns: number[] = [];
  let done = false;
  const finished = work.finally(() => (done = true));
  while (!done) {
    const before = process.cpuUsage();
    const started = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    const { user, system } = process.cpuUsage(before);
    turns.push((user + system) / 1000);
    await server.pipeline.handle(requestOf(server, 'GET', '/api/v1/namespaces/default'));
    waits.push(performance.now() - started);
  }
  await finished;
  return turns;
}

async function megabytesOf(count: number): Promise<number> {
  const server = await startTestServer();
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  try {
    const groups = Object.entries(largeSchema().properties!['spec']!.properties!).slice(0, 3);
    const schema: Schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: Object.fromEntries(groups) } },
    };
    gc();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < count; i++) {
      const body = definition(`kind${i}s`, schema);
      body.spec.names = { plural: `kind${i}s`, kind: `Kind${i}` };
      const { status, text } = await server.call('POST', PATH, { body });
      if (status !== 201) throw new Error(text);
    }
    while ((await server.call('GET', `/apis/example.com/v1/kind${count - 1}s`)).status !== 200)
      await server.ctx.clock.yield();
    gc();
    return (process.memoryUsage().heapUsed - before) / 2 ** 20;
  } finally {
    await server.stop();
  }
}
