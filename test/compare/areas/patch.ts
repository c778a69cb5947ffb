/** JSON, merge and strategic merge patches of every field, and broken ones. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { FieldTurns } from '../field-turns.ts';
import { textOf, withValue, type FieldPlace } from '../fields.ts';
import { keptSamplesOf, type KindSample } from '../kinds.ts';
import { Random } from '../random.ts';
import { someValue, validValue } from '../values.ts';
import { someContent } from './objects.ts';

const FIELDS_A_CONVERSATION = 8;
const OBJECTS_A_CONVERSATION = 3;
const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const TYPES = [JSON_PATCH, MERGE, STRATEGIC];

export const patch: Area = { weight: 10, conversations };

function* conversations(options: AreaOptions): Generator<Conversation> {
  const turns = new FieldTurns();
  for (let round = 0; ; round++) {
    const random = new Random(`${options.seed}/${round}`);
    for (const sample of random.shuffled(keptSamplesOf(options))) yield conversation(sample, random, turns);
  }
}

function conversation(sample: KindSample, random: Random, turns: FieldTurns): Conversation {
  const { resource, collection, path, object, topic } = sample;
  const places = turns.next(sample, random, FIELDS_A_CONVERSATION);
  return {
    topic,
    namespace: resource.namespaced,
    steps: [
      { method: 'POST', path: collection, body: object, setup: true },
      ...places.flatMap((place) => TYPES.map((type) => attempt(sample, place, { type, random }))),
      ...Array.from({ length: OBJECTS_A_CONVERSATION }, () => manyFields(sample, random)),
      ...random.some(ownRules(path), 0.15),
      {
        method: 'PATCH',
        path,
        body: { metadata: { labels: { a: 'b', c: null }, annotations: { x: 'y' } } },
        headers: { 'content-type': MERGE },
        about: 'labels',
      },
      {
        method: 'PATCH',
        path,
        body: { metadata: { labels: { $patch: 'replace', d: 'e' } } },
        headers: { 'content-type': STRATEGIC },
        about: '$patch replace',
      },
      { method: 'GET', path },
    ],
    cleanup: resource.namespaced ? [] : [{ method: 'DELETE', path }],
  };
}

function manyFields({ resource, path }: KindSample, random: Random): Step {
  const made = someContent(random, resource.message);
  const type = random.pick(TYPES);
  const body =
    type === JSON_PATCH ? Object.entries(made).map(([key, value]) => ({ op: 'add', path: `/${key}`, value })) : made;
  return {
    method: 'PATCH',
    path: `${path}?dryRun=All${random.pick(['', '&pretty=true', '&fieldValidation=Strict'])}`,
    body,
    headers: { 'content-type': type },
    about: 'many fields',
  };
}

function attempt(
  { resource, path }: KindSample,
  place: FieldPlace,
  { type, random }: { readonly type: string; readonly random: Random },
): Step {
  const value =
    place.type.kind === 'scalar' && random.chance(0.4)
      ? validValue(place.type, place.field.name)
      : someValue(random, place.type, place.field);
  const about = textOf(place);
  const headers = { 'content-type': type };
  if (type !== JSON_PATCH) {
    // Only what the patch is about: what else is there stays.
    const body = withValue({}, resource.message, place.segments, random.chance(0.15) ? null : value);
    return { method: 'PATCH', path: `${path}?dryRun=All`, body, headers, about };
  }
  const key = (segment: string): string =>
    segment === '[]' ? random.pick(['0', '-', '1']) : segment === '{}' ? 'a' : segment;
  const pointer = `/${place.segments.map(key).join('/')}`;
  const op = random.pick(['add', 'add', 'replace', 'remove', 'test', 'copy', 'move']);
  const operation = {
    op,
    path: pointer,
    ...(op === 'remove' ? {} : op === 'copy' || op === 'move' ? { from: '/metadata/name' } : { value }),
  };
  return { method: 'PATCH', path: `${path}?dryRun=All`, body: [operation], headers, about };
}

function ownRules(path: string): Step[] {
  const send = (contentType: string, raw: string, about: string, query = ''): Step => ({
    method: 'PATCH',
    path: `${path}${query}`,
    raw,
    headers: { 'content-type': contentType },
    about,
  });
  return [
    ...TYPES.flatMap((type) =>
      ['', '{', 'null', '[]', '{}', '"x"', '1', '[1]', '{"a":1}'].map((raw) =>
        send(type, raw, 'a broken patch', '?dryRun=All'),
      ),
    ),
    ...[
      '[{"op":"nope","path":"/a"}]',
      '[{"op":"add"}]',
      '[{"op":"add","path":"a","value":1}]',
      '[{"op":"remove","path":"/nope"}]',
      '[{"op":"replace","path":"/nope","value":1}]',
    ].map((raw) => send(JSON_PATCH, raw, 'a broken operation')),
    ...[
      '[{"op":"test","path":"/metadata/name","value":"x"}]',
      '[{"op":"add","path":"/metadata/labels/a~1b","value":"x"}]',
      '[{"op":"add","path":"","value":{}}]',
      '[{"op":"move","from":"/metadata/name","path":"/metadata/x"}]',
    ].map((raw) => send(JSON_PATCH, raw, 'an operation')),
    send(MERGE, '{"metadata":{"resourceVersion":"1"}}', 'an old version'),
    send(MERGE, '{"metadata":{"uid":"x"}}', 'another uid'),
    send(MERGE, '{"metadata":{"name":"x"}}', 'another name'),
    send(MERGE, '{"metadata":null}', 'no metadata'),
    send(MERGE, '{"kind":"Other"}', 'another kind'),
    send(STRATEGIC, '{"metadata":{"$patch":"delete"}}', '$patch delete'),
    send(STRATEGIC, '{"$patch":"nope"}', 'an unknown $patch'),
    send(
      STRATEGIC,
      '{"metadata":{"finalizers":["example.com/a"],"$deleteFromPrimitiveList/finalizers":["example.com/b"]}}',
      '$deleteFromPrimitiveList',
      '?dryRun=All',
    ),
    send(
      STRATEGIC,
      '{"metadata":{"$setElementOrder/finalizers":["example.com/b","example.com/a"],"finalizers":["example.com/a"]}}',
      '$setElementOrder',
      '?dryRun=All',
    ),
    send(STRATEGIC, '{"metadata":{"$retainKeys":["name"],"labels":{"z":"y"}}}', '$retainKeys', '?dryRun=All'),
    send('application/json', '{}', 'a content type that is no patch'),
    send('text/plain', '{}', 'a content type that is no patch'),
    send('application/apply-patch+json', '{}', 'a content type that is no patch'),
    send(MERGE, '{"nope":1,"metadata":{"nope":2}}', 'unknown fields', '?fieldValidation=Strict&dryRun=All'),
    send(MERGE, '{"nope":1,"metadata":{"nope":2}}', 'unknown fields', '?fieldValidation=Warn&dryRun=All'),
    send(MERGE, '{"metadata":{"labels":{"a":"1","a":"2"}}}', 'a field twice', '?fieldValidation=Strict&dryRun=All'),
    send(MERGE, '{}', 'force without apply', '?force=true'),
    send(MERGE, '{}', 'a patch of nothing', '-absent'),
  ];
}
