import { describe, expect, test } from 'vitest';
import { reasonFor } from './accepted-differences.ts';
import { areas } from './areas/index.ts';
import type { Step } from './conversation.ts';
import { coverageOf } from './coverage.ts';
import { differences } from './difference.ts';
import { fieldPlaces, textOf, withValue } from './fields.ts';
import { sampleOf } from './kinds.ts';
import { comparable } from './normalise.ts';
import { planJobs } from './plan.ts';
import { agreement, makeReport } from './report.ts';

const OWN = { variables: new Map([['NS', 'ns-some-run']]), flowNames: new Map([['u1', 'exempt']]) };
const answer = (body: unknown, headers: Record<string, string> = {}) =>
  comparable(
    {
      status: 200,
      headers: { 'content-type': 'application/json', ...headers },
      body: Buffer.from(JSON.stringify(body)),
    },
    OWN,
  );

describe('the plan', () => {
  const plan = (seed: string) => planJobs({ seed, areas: [], kinds: [], requests: 1000, controllers: true });

  test('is the same for the same seed, and different for another', () => {
    expect(JSON.stringify(plan('7'))).toBe(JSON.stringify(plan('7')));
    expect(JSON.stringify(plan('7'))).not.toBe(JSON.stringify(plan('8')));
  });

  test('covers every area, and a single conversation is the same as among all', () => {
    const jobs = plan('7');
    expect([...new Set(jobs.map(({ area }) => area))].sort()).toEqual(Object.keys(areas).sort());
    const third = jobs.find(({ area, index }) => area === 'create' && index === 2)!;
    expect(planJobs({ seed: '7', areas: [], kinds: [], requests: 1, only: 'create/2' })).toEqual([third]);
  });

  test('writes only to objects of the conversation', () => {
    const steps = planJobs({ seed: '9', areas: [], kinds: [], requests: 6000, controllers: true }).flatMap(
      ({ conversation }) => conversation.steps,
    );
    const writes = steps.filter(
      ({ method, path }) => !['GET', 'HEAD', 'OPTIONS'].includes(method) && !path.includes('dryRun='),
    );
    const elsewhere = writes.filter(
      ({ path, body }) => !/\$NS|\$RUN|\babsent/.test(path) && !JSON.stringify(body ?? '').includes('$RUN'),
    );
    // Reviews keep nothing, and these paths are no resources.
    const harmless = /reviews$|^\/(?:apis?|livez|readyz|healthz|nope|apisx)[^/]*\/?[^/]*(?:\/v[^/]*)?\/?$/;
    expect(
      elsewhere.map(({ method, path }) => `${method} ${path}`).filter((text) => !harmless.test(text.split(' ')[1]!)),
    ).toEqual([]);
  });

  test('contains only the requested kinds', () => {
    const topics = planJobs({ seed: '7', areas: ['create', 'patch'], kinds: ['pods', 'leases'], requests: 200 }).map(
      ({ conversation }) => conversation.topic,
    );
    expect([...new Set(topics)].sort()).toEqual(['leases', 'pods']);
  });
});

describe('coverage', () => {
  test('counts the fields of every way to write, and names what was not exercised', () => {
    const { path, collection, object } = sampleOf('configmaps');
    const steps: Step[] = [
      { method: 'POST', path: `${collection}?dryRun=All`, body: object },
      {
        method: 'PATCH',
        path,
        body: [{ op: 'add', path: '/metadata/labels/a', value: 'b' }],
        headers: { 'content-type': 'application/json-patch+json' },
      },
      { method: 'GET', path: `${collection}?watch=true` },
    ];
    const conversation = { topic: 'configmaps', namespace: true, steps };
    const { verbs, fields, parameters } = coverageOf([{ area: 'create', index: 0, conversation }]);
    expect(verbs.missing).not.toContain('watch configmaps.v1');
    expect(verbs.missing).toContain('delete configmaps.v1');
    expect(fields.get('create')!.missing).not.toContain('create io.k8s.api.core.v1.ConfigMap.data');
    expect(fields.get('json patch')!.missing).not.toContain(
      'json patch io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta.labels',
    );
    expect(fields.get('apply')!.done).toBe(0);
    expect(parameters.get('create')!.missing).toEqual([
      'create ?fieldManager',
      'create ?fieldValidation',
      'create ?pretty',
    ]);
  });

  test('of a run of some size leaves out no kind and no parameter of reads', () => {
    const jobs = planJobs({ seed: 'covered', areas: [], kinds: [], requests: 8000 });
    const { kinds, parameters, fields } = coverageOf(jobs);
    expect(kinds.missing).toEqual([]);
    expect(['get', 'list'].flatMap((verb) => parameters.get(verb)!.missing)).toEqual([]);
    for (const { done, of } of fields.values()) expect(done / of).toBeGreaterThan(0.1);
  });
});

describe('fields', () => {
  test('are reached with the objects that they need', () => {
    const { resource, object } = sampleOf('pods');
    const place = fieldPlaces(resource.message).find(
      (one) => textOf(one) === 'spec.containers[].livenessProbe.httpGet.port',
    )!;
    const made = withValue(object, resource.message, place.segments, 'x') as {
      spec: { containers: { name: string; livenessProbe: object }[] };
    };
    expect(made.spec.containers[0]).toMatchObject({ name: 'c', livenessProbe: { httpGet: { port: 'x' } } });
  });
});

describe('values that two servers never share', () => {
  test('is left out', () => {
    const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    const object = (uid: string, resourceVersion: string) => ({
      metadata: { uid, resourceVersion, creationTimestamp: now, namespace: 'ns-some-run' },
      spec: { clusterIP: `10.96.0.${resourceVersion}` },
    });
    const [mine, other] = [
      object('00000000-1111-2222-3333-444444444444', '5'),
      object('99999999-1111-2222-3333-444444444444', '17'),
    ];
    expect(
      differences(
        answer(mine, { 'audit-id': 'a', 'x-kubernetes-pf-flowschema-uid': 'u1' }),
        answer(other, { 'audit-id': 'b', 'x-kubernetes-pf-flowschema-uid': 'u1' }),
      ),
    ).toEqual([]);
  });

  test('is the order of several errors of an apply', () => {
    const message = (...errors: string[]): unknown =>
      answer({ message: `failed to create typed patch object (a/b; v1, Kind=C): errors:\n${errors.join('\n')}` });
    expect(message('  .b: expected map', '  .a: expected list')).toEqual(
      message('  .a: expected list', '  .b: expected map'),
    );
    expect(message('  .b: expected map')).not.toEqual(message('  .b: expected list'));
  });

  test('is not more than that: times that were sent are compared', () => {
    expect(differences(answer({ at: '2020-01-02T03:04:05Z' }), answer({ at: '2020-01-02T03:04:06Z' }))).toHaveLength(1);
    expect(differences(answer({}, { warning: '299 - "a"' }), answer({}))).toEqual([
      { path: 'headers.warning', what: 'extra', ours: '299 - "a"', theirs: undefined },
    ]);
  });
});

describe('differences', () => {
  test('are as small as they can be', () => {
    const [mine, other] = [{ spec: { list: [{ a: 1, b: 2 }] } }, { spec: { list: [{ a: 1, b: 3 }], more: true } }];
    expect(differences(answer(mine), answer(other)).map(({ path, what }) => `${path} ${what}`)).toEqual([
      'body.spec.list[0].b value',
      'body.spec.more missing',
    ]);
  });

  test('of refusals are their causes, not the message that repeats them', () => {
    const refusal = (...messages: string[]) => ({
      kind: 'Status',
      message: messages.join(),
      details: { causes: messages.map((message) => ({ message, field: 'f', reason: 'R' })) },
    });
    const found = differences(answer(refusal('a', 'b')), answer(refusal('a', 'c')));
    expect(found.map(({ path, what, ours, theirs }) => [path, what, ours ?? theirs])).toEqual([
      ['body.details.causes[]', 'missing', 'f: R: c'],
      ['body.details.causes[]', 'extra', 'f: R: b'],
    ]);
    expect(differences(answer(refusal('a', 'b')), answer(refusal('b', 'a'))).map(({ what }) => what)).toEqual([
      'order',
    ]);
  });

  test('that are accepted count as such, with their reason', () => {
    const list = [{ path: /^body\.x$/, theirs: /^5$/, reason: 'because' }];
    const outcome = (theirs: number) => ({
      area: 'create',
      index: 0,
      topic: 'pods',
      step: 0,
      request: { method: 'GET', path: '/x' },
      differences: [{ path: 'body.x', what: 'value' as const, ours: 1, theirs }],
    });
    const report = makeReport([outcome(5), outcome(6)], (area, request, difference) =>
      reasonFor(area, request, difference, list),
    );
    expect(report.total).toEqual({ requests: 2, identical: 0, accepted: 1, different: 1 });
    expect([...report.accepted]).toEqual([['because', 1]]);
    expect(agreement(report.total)).toBe(50);
  });
});
