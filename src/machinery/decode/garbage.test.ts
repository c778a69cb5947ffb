import { describe, expect, it } from 'vitest';
import { packages, schema } from '../../api/index.ts';
import type { GroupVersionKind } from '../../api/schema.ts';
import { encodeJson, parseDuration, stringifyJson } from '../../base/index.ts';
import { applyDefaults } from '../defaulting/index.ts';
import { isBadInput } from '../errors/status.ts';
import { parseFieldSelector, parseLabelSelector } from '../selectors/index.ts';
import { objectGenerator, type ObjectGenerator } from '../testing/index.ts';
import { conform, decodeObject, parseJson, parseYaml } from './index.ts';
import { MAX_DEPTH } from './scan-json.ts';

const DOCUMENTS = process.env['K8TS_EVERYTHING'] === '1' ? 100_000 : 5_000;

const kinds = packages.flatMap(({ group, version, messages }): GroupVersionKind[] =>
  Object.entries(messages).flatMap(([kind, { object }]) => (object ? [{ group, version, kind }] : [])),
);
const PIECES = [
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '0',
  '-1',
  '1.5',
  '1e400',
  'true',
  'null',
  '\\',
  '\\ud800',
  '\0',
  ' ',
  'é',
  '99999999999999999999',
  '"":',
  '"a":{}',
  '*x',
  '&x ',
  '- ',
  '\n  ',
  '#',
  '|',
  '<<: ',
];

/** A correct document, damaged: values replaced by others, pieces put in or cut out. */
function damaged(generate: ObjectGenerator, document: string): string {
  let text = document;
  for (let i = generate.integer(3); i >= 0; i--) {
    const at = generate.integer(text.length + 1);
    if (generate.integer(2) === 0) {
      const colon = text.indexOf(':', at);
      const end = colon < 0 ? -1 : text.slice(colon).search(/[,}\]]/);
      if (end > 0) text = `${text.slice(0, colon + 1)}${stringifyJson(generate.json())}${text.slice(colon + end)}`;
    } else {
      text = text.slice(0, at) + PIECES[generate.integer(PIECES.length)]! + text.slice(at + generate.integer(8));
    }
  }
  return text;
}

function outcome(run: () => unknown): 'taken' | 'refused' {
  try {
    run();
    return 'taken';
  } catch (error) {
    if (isBadInput(error)) return 'refused';
    throw error;
  }
}

describe('garbage', () => {
  it(`${DOCUMENTS} damaged documents give an object or are refused, never anything else`, () => {
    const generate = objectGenerator(20_260_131);
    const outcomes = { taken: 0, refused: 0 };
    const documents = Array.from({ length: 3000 }, (_, i) => {
      const gvk = kinds[i % kinds.length]!;
      return { gvk, text: stringifyJson(generate.object(schema.kind(gvk)!, gvk)) };
    }).filter(({ text }) => text.length < 1500);
    for (let i = 0; i < DOCUMENTS; i++) {
      const { gvk, text } = documents[i % documents.length]!;
      const body = damaged(generate, text);
      outcomes[
        outcome(() =>
          encodeJson(
            applyDefaults(gvk, decodeObject({ body: Buffer.from(body), contentType: 'json', expected: gvk }).object),
          ),
        )
      ]++;
      if (i % 200 === 0) outcome(() => decodeObject({ body: Buffer.from(body), contentType: 'yaml', expected: gvk }));
      if (i % 10 === 0) outcome(() => parseJson(body));
      if (i % 10 === 1) outcome(() => conform(schema.kind(gvk)!, generate.json()));
    }
    // Both happen often enough that the test means something.
    expect(outcomes.taken).toBeGreaterThan(DOCUMENTS / 20);
    expect(outcomes.refused).toBeGreaterThan(DOCUMENTS / 20);
  });

  it('selectors of any text', () => {
    const generate = objectGenerator(7);
    const pieces = [...PIECES, 'a', 'in', 'notin', '(', ')', '=', '!=', '==', '!', '>', '<', '/', '.'];
    for (let i = 0; i < 20_000; i++) {
      const text = Array.from({ length: generate.integer(8) }, () => pieces[generate.integer(pieces.length)]!).join('');
      outcome(() => parseLabelSelector(text).matches({ a: '1' }));
      outcome(() => parseFieldSelector(text).toString());
    }
  });

  const deep = (open: string, close: string, depth: number): string => open.repeat(depth) + '1' + close.repeat(depth);
  it.each([
    ['lists', deep('[', ']', 9_990)],
    ['objects', deep('{"a":', '}', 9_990)],
    ['too many lists', deep('[', ']', 100_000)],
    ['lists without an end', '['.repeat(100_000)],
  ])('nesting by the thousands: %s', (_, inner) => {
    const revision = { group: 'apps', version: 'v1', kind: 'ControllerRevision' };
    for (const body of [inner, `{"data":${inner}}`, `{"metadata":{"labels":${inner}}}`, `{"unknown":${inner}}`]) {
      outcome(() =>
        encodeJson(
          applyDefaults(
            revision,
            decodeObject({ body: Buffer.from(body), contentType: 'json', expected: revision }).object,
          ),
        ),
      );
      outcome(() => parseJson(body));
    }
    outcome(() => parseYaml(inner));
  });

  it.each([
    ['zeros', '0'.repeat(200_000)],
    ['digits', '7'.repeat(200_000)],
    ['dots', '1.'.repeat(100_000)],
    ['letters', 'a'.repeat(200_000)],
    ['suffixes', `1${'e'.repeat(200_000)}`],
    ['dashes', 'a-'.repeat(100_000)],
  ])('long texts cost no more than their length: %s', { timeout: 40_000 }, (_, text) => {
    for (const tail of ['', 'x', '!']) {
      const long = text + tail;
      const container = { name: long, image: long, resources: { limits: { cpu: long } } };
      const pod = {
        metadata: { creationTimestamp: long, labels: { [long]: long } },
        spec: { containers: [container] },
      };
      const expected = { group: '', version: 'v1', kind: 'Pod' };
      for (const body of [pod, { ...pod, metadata: {} }, { spec: { containers: [{ image: long }] } }]) {
        outcome(() =>
          applyDefaults(
            expected,
            decodeObject({ body: Buffer.from(JSON.stringify(body)), contentType: 'json', expected }).object,
          ),
        );
      }
      outcome(() => decodeObject({ body: Buffer.from(`a: ${long}\nb: -${long}\n`), contentType: 'yaml', expected }));
      outcome(() => parseLabelSelector(long));
      outcome(() => parseFieldSelector(`a=${long}`));
      outcome(() => parseDuration(long));
    }
  });

  it('keeps raw values of any allowed depth', () => {
    const body = `{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{},"data":${deep('{"a":', '}', MAX_DEPTH - 1)},"revision":0}`;
    const { object } = decodeObject({
      body: Buffer.from(body),
      contentType: 'json',
      expected: { group: 'apps', version: 'v1', kind: 'ControllerRevision' },
    });
    expect(encodeJson(object).toString()).toBe(body);
  });

  it('schemas of schemas of schemas', () => {
    const expected = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
    const body = `{"spec":{"versions":[{"schema":{"openAPIV3Schema":${deep('{"not":', '}', 9_900).replace('1', '{}')}}}]}}`;
    outcome(() => decodeObject({ body: Buffer.from(body), contentType: 'json', expected }));
  });
});
