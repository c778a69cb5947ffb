/** CEL rules of custom resources: what compiles, what it costs, what it says of objects. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { CRD, CRDS } from '../custom-resources.ts';
import { someExpression, type Roots } from '../expressions.ts';
import { Random } from '../random.ts';

const ROOTS: Roots = {
  ints: ['self.count', 'self.size'],
  strings: ['self.color', 'self.name'],
  bools: ['self.flag'],
  lists: ['self.tags'],
  maps: ['self.labels'],
};
const TRANSITIONS: Roots = {
  ...ROOTS,
  ints: ['oldSelf.count', 'self.count'],
  strings: ['oldSelf.color', 'self.color'],
};
const MESSAGES = ['"count is " + string(self.count)', '1', 'self.nope', '""', '"a\\nb"', "'x'"];

/** A server takes up another schema a moment after the definition is written. */
const SEEN_AFTER_MS = 300;

export const rules: Area = { weight: 6, conversations };

function* conversations({ seed, kinds }: AreaOptions): Generator<Conversation> {
  if (kinds.length > 0 && !kinds.includes('customresourcedefinitions')) return;
  for (let round = 0; ; round++) yield conversation(new Random(`${seed}/${round}`));
}

function rule(random: Random, roots: Roots): object {
  const maybe = (value: object): object => (random.chance(0.2) ? value : {});
  return {
    rule: someExpression(random, roots),
    ...maybe({ message: random.pick(['wrong', '', 'a\nb', ' ']) }),
    ...maybe({ messageExpression: random.pick(MESSAGES) }),
    ...maybe({
      reason: random.pick([
        'FieldValueInvalid',
        'FieldValueForbidden',
        'FieldValueRequired',
        'FieldValueDuplicate',
        'Nope',
      ]),
    }),
    ...maybe({ fieldPath: random.pick(['.count', '.nope', 'count', ".labels['a']", '.tags[0]', '']) }),
    ...maybe({ optionalOldSelf: random.chance(0.5) }),
  };
}

function definition(specRules: readonly object[], bounded: boolean): object {
  const limit = bounded ? { maxLength: 20 } : {};
  const spec = {
    ...{
      type: 'object',
      required: ['count', 'size', 'color', 'name', 'flag', 'tags', 'labels'],
      'x-kubernetes-validations': specRules,
    },
    properties: {
      ...{
        count: { type: 'integer' },
        size: { type: 'integer' },
        flag: { type: 'boolean' },
        color: { type: 'string', ...limit },
        name: { type: 'string', ...limit },
      },
      tags: { type: 'array', items: { type: 'string', ...limit }, ...(bounded ? { maxItems: 5 } : {}) },
      labels: {
        type: 'object',
        additionalProperties: { type: 'string', ...limit },
        ...(bounded ? { maxProperties: 5 } : {}),
      },
    },
  };
  const schema = { type: 'object', properties: { spec } };
  return {
    ...{
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.$RUN.example.com' },
    },
    spec: {
      group: '$RUN.example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

function conversation(random: Random): Conversation {
  const tried = Array.from({ length: 8 }, () => rule(random, ROOTS));
  const compiles = tried.map((one): Step => ({
    method: 'POST',
    path: `${CRDS}?dryRun=All`,
    body: definition([one], random.chance(0.6)),
    about: `rule ${(one as { rule: string }).rule}`,
  }));
  const evaluated: Step[] = [];
  const collection = '/apis/$RUN.example.com/v1/namespaces/$NS/things';
  const thing = (name: string): object => ({
    ...{ apiVersion: '$RUN.example.com/v1', kind: 'Thing', metadata: { name } },
    spec: {
      count: random.pick([0, 1, 5, -1]),
      size: random.pick([1, 10]),
      color: random.pick(['red', 'a', '']),
      name: random.pick(['b', '12', 'ü']),
      flag: random.chance(0.5),
      tags: random.pick([[], ['a'], ['red', 'b']]),
      labels: random.pick([{}, { a: 'b' }, { red: 'a', x: 'y' }]),
    },
  });
  // Rules one by one: a definition with one that does not compile would be refused as a whole.
  for (const [i, one] of [
    ...Array.from({ length: 4 }, () => rule(random, ROOTS)),
    rule(random, TRANSITIONS),
  ].entries()) {
    const versioned = definition([one], true);
    evaluated.push(
      ...(i === 0
        ? [
            { method: 'POST', path: CRDS, body: definition([{ rule: 'true' }], true), only: specOf },
            { method: 'GET', path: collection, until: 200, setup: true } as const,
            { method: 'POST', path: collection, body: thing('first'), setup: true } as const,
          ]
        : []),
      {
        method: 'PATCH',
        path: CRD,
        body: { spec: (versioned as { spec: object }).spec },
        headers: { 'content-type': 'application/merge-patch+json' },
        about: `rule ${(one as { rule: string }).rule}`,
        only: specOf,
      },
      { method: 'GET', path: '/version', setup: true, pauseMs: SEEN_AFTER_MS },
      ...Array.from({ length: 3 }, (): Step => ({
        method: 'POST',
        path: `${collection}?dryRun=All`,
        body: thing('other'),
        about: JSON.stringify(one),
      })),
      {
        method: 'PATCH',
        path: `${collection}/first?dryRun=All`,
        body: { spec: (thing('first') as { spec: object }).spec },
        headers: { 'content-type': 'application/merge-patch+json' },
        about: JSON.stringify(one),
      },
    );
  }
  return {
    topic: 'rules',
    namespace: true,
    steps: [...compiles, ...evaluated],
    cleanup: [{ method: 'DELETE', path: CRD }],
  };
}

function specOf(body: unknown): unknown {
  const { kind, spec } = (body ?? {}) as { kind?: string; spec?: unknown };
  return kind === 'Status' ? body : spec;
}
