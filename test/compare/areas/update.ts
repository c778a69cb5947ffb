/** Every field changed on update: what may change, what is reset, what fails; and PUT's own rules. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { FieldTurns } from '../field-turns.ts';
import { textOf, withValue } from '../fields.ts';
import { keptSamplesOf, type KindSample } from '../kinds.ts';
import { Random } from '../random.ts';
import { someValue } from '../values.ts';
import { mixed, someContent } from './objects.ts';

const FIELDS_A_CONVERSATION = 14;
const OBJECTS_A_CONVERSATION = 2;

export const update: Area = { weight: 7, conversations };

function* conversations(options: AreaOptions): Generator<Conversation> {
  const turns = new FieldTurns();
  for (let round = 0; ; round++) {
    const random = new Random(`${options.seed}/${round}`);
    for (const sample of random.shuffled(keptSamplesOf(options))) yield conversation(sample, random, turns);
  }
}

function conversation(sample: KindSample, random: Random, turns: FieldTurns): Conversation {
  const { resource, collection, path, object, topic } = sample;
  const versioned = {
    ...object,
    metadata: { ...(object['metadata'] as object), resourceVersion: '$VERSION', uid: '$UID' },
  };
  const places = turns.next(sample, random, FIELDS_A_CONVERSATION);
  const changes = places.map((place): Step => {
    const body = withValue(versioned, resource.message, place.segments, someValue(random, place.type, place.field));
    return { method: 'PUT', path: `${path}?dryRun=All`, body, about: textOf(place) };
  });
  return {
    topic,
    namespace: resource.namespaced,
    steps: [
      { method: 'POST', path: collection, body: object },
      { method: 'GET', path, setup: true, save: { VERSION: 'metadata.resourceVersion', UID: 'metadata.uid' } },
      ...changes,
      ...Array.from({ length: OBJECTS_A_CONVERSATION }, (): Step => ({
        method: 'PUT',
        path: `${path}?dryRun=All`,
        body: mixed(versioned, someContent(random, resource.message)),
        about: 'many fields',
      })),
      ...random.some(ownRules(path, object, versioned), 0.3),
      { method: 'DELETE', path, about: 'delete' },
    ],
    cleanup: resource.namespaced ? [] : [{ method: 'DELETE', path }],
  };
}

function ownRules(path: string, object: Record<string, unknown>, versioned: { metadata: object }): Step[] {
  const withMetadata = (metadata: object): unknown => ({
    ...object,
    metadata: { ...(object['metadata'] as object), ...metadata },
  });
  return [
    { method: 'PUT', path, body: object, about: 'without a version' },
    { method: 'PUT', path, body: withMetadata({ resourceVersion: '1' }), about: 'an old version' },
    { method: 'PUT', path, body: withMetadata({ resourceVersion: 'x' }), about: 'no version' },
    { method: 'PUT', path, body: withMetadata({ resourceVersion: '99999999' }), about: 'a version of the future' },
    { method: 'PUT', path, body: withMetadata({ uid: 'another' }), about: 'another uid' },
    { method: 'PUT', path, body: withMetadata({ name: 'another' }), about: 'another name' },
    { method: 'PUT', path, body: withMetadata({ namespace: 'another' }), about: 'another namespace' },
    { method: 'PUT', path, body: withMetadata({ name: '' }), about: 'no name' },
    { method: 'PUT', path: `${path}-absent`, body: object, about: 'an object that is not there' },
    {
      method: 'PUT',
      path: `${path}-absent`,
      body: withMetadata({ name: `${path.split('/').at(-1)}-absent` }),
      about: 'an object that is not there',
    },
    { method: 'PUT', path, body: { ...versioned, kind: 'Other' }, about: 'another kind' },
    { method: 'PUT', path, body: { ...versioned, apiVersion: 'v9' }, about: 'another version of the API' },
    {
      method: 'PUT',
      path: `${path}?dryRun=All`,
      body: withMetadata({ generation: 77, creationTimestamp: '2020-01-02T03:04:05Z', labels: { a: 'b' } }),
      about: 'system metadata',
    },
    {
      method: 'PUT',
      path: `${path}?dryRun=All`,
      body: withMetadata({
        finalizers: ['example.com/x'],
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }],
      }),
      about: 'finalizers',
    },
    { method: 'PUT', path: `${path}?dryRun=All`, body: withMetadata({ managedFields: [] }), about: 'managedFields' },
    {
      method: 'PUT',
      path: `${path}?fieldManager=m1`,
      body: withMetadata({ annotations: { x: 'y' } }),
      about: 'fieldManager',
    },
    { method: 'GET', path, about: 'get' },
  ];
}
