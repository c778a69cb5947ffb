import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Definition } from '../src/apiserver/crd/serve-definition.ts';
import { versionResources, storedKindOf } from '../src/apiserver/crd/serve-definition.ts';
import { ResourceCache } from '../src/apiserver/storage/resource-cache.ts';
import { startTestServer } from '../src/apiserver/testing.ts';
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
    for (let i = 0; i < 19; i++) properties[`field${i}`] = { description: 'What this field is for, at some length. '.repeat(12), ...LEAVES[i % LEAVES.length]! };
    groups[`group${group}`] = { type: 'object', properties, 'x-kubernetes-validations': [{ rule: '!has(self.field1) || self.field1 < 65000', message: 'too many' }] };
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
      const values = ['some-name-of-medium-length', 8080, true, 'IfNotPresent', ['first-item', 'second-item'], { app: 'web', tier: 'front' }];
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
  const [served] = versionResources(large, new ResourceCache(stored, 0));
  const body = Buffer.from(JSON.stringify(sample()));
  const { object } = served!.decode!({ body, contentType: 'json', expected: served! });
  if (validateCreate(served!, object, DEFAULT_VALIDATION_CONTEXT).length > 0) throw new Error('the sample is not valid');
  const milliseconds = (work: () => void): number => 1e3 / callsPerSecond(work, durationMs);
  return [
    { work: `create a definition of ${Math.round(JSON.stringify(large).length / 1024)} KB`, value: await createMs(large), unit: 'ms', atMost: 300 },
    { work: `decode, prune and default an object of ${Math.round(body.length / 1024)} KB`, value: milliseconds(() => void served!.decode!({ body, contentType: 'json', expected: served! })), unit: 'ms', atMost: 0.5 },
    { work: 'validate it, rules included', value: milliseconds(() => void validateCreate(served!, object, DEFAULT_VALIDATION_CONTEXT)), unit: 'ms', atMost: 0.5 },
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
      while ((await server.call('GET', `/apis/example.com/v1/${plural}`)).status !== 200) await server.ctx.clock.yield();
      best = Math.min(best, Number(process.hrtime.bigint() - started) / 1e6);
    }
    return best;
  } finally {
    await server.stop();
  }
}

async function megabytesOf(count: number): Promise<number> {
  const server = await startTestServer();
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  try {
    const groups = Object.entries(largeSchema().properties!['spec']!.properties!).slice(0, 3);
    const schema: Schema = { type: 'object', properties: { spec: { type: 'object', properties: Object.fromEntries(groups) } } };
    gc();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < count; i++) {
      const body = definition(`kind${i}s`, schema);
      body.spec.names = { plural: `kind${i}s`, kind: `Kind${i}` };
      const { status, text } = await server.call('POST', PATH, { body });
      if (status !== 201) throw new Error(text);
    }
    while ((await server.call('GET', `/apis/example.com/v1/kind${count - 1}s`)).status !== 200) await server.ctx.clock.yield();
    gc();
    return (process.memoryUsage().heapUsed - before) / 2 ** 20;
  } finally {
    await server.stop();
  }
}
