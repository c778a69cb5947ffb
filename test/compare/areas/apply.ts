/** Server-side apply: two managers, conflicts, force, fields that are given up, and managedFields after each step. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { FieldTurns } from '../field-turns.ts';
import { textOf, withValue, type FieldPlace } from '../fields.ts';
import { keptSamplesOf, type KindSample } from '../kinds.ts';
import { Random } from '../random.ts';
import { someValue, validValue } from '../values.ts';
import { mixed, someContent } from './objects.ts';

const FIELDS_A_CONVERSATION = 9;
const OBJECTS_A_CONVERSATION = 3;
const HEADERS = { 'content-type': 'application/apply-patch+yaml' };

export const apply: Area = { weight: 8, conversations };

function* conversations(options: AreaOptions): Generator<Conversation> {
  const turns = new FieldTurns();
  for (let round = 0; ; round++) {
    const random = new Random(`${options.seed}/${round}`);
    for (const sample of random.shuffled(keptSamplesOf(options))) yield conversation(sample, random, turns);
  }
}

function conversation(sample: KindSample, random: Random, turns: FieldTurns): Conversation {
  const { resource, path, object, topic } = sample;
  const places = turns.next(sample, random, FIELDS_A_CONVERSATION);
  const { apiVersion, kind, metadata } = object as { apiVersion: string; kind: string; metadata: { name: string } };
  const bare = { apiVersion, kind, metadata: { name: metadata.name } };
  const as = (manager: string, body: unknown, about: string, query = ''): Step => ({
    method: 'PATCH',
    path: `${path}?fieldManager=${manager}${query}`,
    body,
    headers: HEADERS,
    about,
  });
  const labelled = (value: string): unknown => ({
    ...object,
    metadata: { ...metadata, labels: { a: value }, annotations: { b: value } },
  });
  return {
    topic,
    namespace: resource.namespaced,
    steps: [
      as('one', labelled('1'), 'create'),
      as('one', labelled('1'), 'the same once more'),
      as('two', labelled('2'), 'a conflict'),
      as('two', labelled('1'), 'shared fields'),
      as('two', labelled('3'), 'force', '&force=true'),
      as('one', bare, 'fields given up'),
      ...places.flatMap((place) => attempt(sample, place, random)),
      ...Array.from({ length: OBJECTS_A_CONVERSATION }, () =>
        as('two', mixed(object, someContent(random, resource.message)), 'many fields', '&dryRun=All&force=true'),
      ),
      { method: 'PUT', path: `${path}?fieldManager=three`, body: labelled('4'), about: 'an update among appliers' },
      as('one', labelled('5'), 'a conflict with an update'),
      ...random.some(ownRules(path, bare), 0.2),
      { method: 'GET', path },
    ],
    cleanup: resource.namespaced ? [] : [{ method: 'DELETE', path }],
  };
}

function attempt({ resource, path, object }: KindSample, place: FieldPlace, random: Random): Step[] {
  const value =
    place.type.kind === 'scalar' && random.chance(0.5)
      ? validValue(place.type, place.field.name)
      : someValue(random, place.type, place.field);
  const body = withValue(object, resource.message, place.segments, value);
  return ['', '&dryRun=All&force=true'].map((query) => ({
    method: 'PATCH',
    path: `${path}?fieldManager=two${query}`,
    body,
    headers: HEADERS,
    about: textOf(place),
  }));
}

function ownRules(path: string, bare: { apiVersion: string; kind: string; metadata: { name: string } }): Step[] {
  const send = (raw: string, about: string, query = '?fieldManager=one'): Step => ({
    method: 'PATCH',
    path: `${path}${query}`,
    raw,
    headers: HEADERS,
    about,
  });
  const text = JSON.stringify(bare);
  return [
    send(text, 'no manager', ''),
    send(text, 'an empty manager', '?fieldManager='),
    send(text, 'a manager that is too long', `?fieldManager=${'m'.repeat(129)}`),
    send(text, 'a manager that cannot be printed', '?fieldManager=a%0Ab'),
    send(text, 'force that is no boolean', '?fieldManager=one&force=maybe'),
    send('', 'nothing'),
    send('{', 'broken YAML'),
    send('a: [', 'broken YAML'),
    send('- 1', 'a list'),
    send('{}', 'an empty object'),
    send(JSON.stringify({ ...bare, kind: 'Other' }), 'another kind'),
    send(JSON.stringify({ ...bare, apiVersion: 'v9' }), 'another version'),
    send(JSON.stringify({ kind: bare.kind, metadata: bare.metadata }), 'no apiVersion'),
    send(JSON.stringify({ ...bare, metadata: { name: 'another' } }), 'another name'),
    send(JSON.stringify({ ...bare, metadata: { ...bare.metadata, namespace: 'another' } }), 'another namespace'),
    send(
      JSON.stringify({ ...bare, metadata: { ...bare.metadata, managedFields: [{ manager: 'x' }] } }),
      'managedFields',
    ),
    send(JSON.stringify({ ...bare, metadata: { ...bare.metadata, uid: 'x' } }), 'another uid'),
    send(JSON.stringify({ ...bare, metadata: { ...bare.metadata, resourceVersion: '1' } }), 'an old version'),
    send(
      JSON.stringify({ ...bare, metadata: { ...bare.metadata, finalizers: ['example.com/a', 'example.com/a'] } }),
      'the same element twice',
      '?fieldManager=one&dryRun=All',
    ),
    send(JSON.stringify({ ...bare, nope: 1, metadata: { ...bare.metadata, nope: 1 } }), 'unknown fields'),
    send(JSON.stringify({ ...bare, nope: 1 }), 'unknown fields', '?fieldManager=one&fieldValidation=Strict'),
    send(JSON.stringify({ ...bare, nope: 1 }), 'unknown fields', '?fieldManager=one&fieldValidation=Warn'),
  ];
}
