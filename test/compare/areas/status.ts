/** Every field of a status by PUT and patch: what the subresource keeps, and what the rest of the object does there. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { fieldPlaces, textOf, withValue, type FieldPlace } from '../fields.ts';
import { keptSamplesOf, type KindSample } from '../kinds.ts';
import { Random } from '../random.ts';
import { someValue } from '../values.ts';

const FIELDS_A_CONVERSATION = 14;
const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';
const PATCHES = [JSON_PATCH, APPLY, 'application/merge-patch+json', 'application/strategic-merge-patch+json'];

export const status: Area = { weight: 4, conversations };

function* conversations(options: AreaOptions): Generator<Conversation> {
  const samples = keptSamplesOf(options).filter(({ resource }) => resource.subresources['status'] !== undefined);
  for (let round = 0; samples.length > 0; round++) {
    const random = new Random(`${options.seed}/${round}`);
    for (const sample of random.shuffled(samples)) yield conversation(sample, random);
  }
}

function conversation(sample: KindSample, random: Random): Conversation {
  const { resource, collection, path, object, topic } = sample;
  const places = fieldPlaces(resource.message).filter(({ segments }) => segments[0] === 'status');
  const chosen = random.shuffled(places).slice(0, FIELDS_A_CONVERSATION);
  const changed = {
    ...object,
    spec: {},
    metadata: { ...(object['metadata'] as object), labels: { changed: 'yes' }, finalizers: ['example.com/x'] },
  };
  return {
    topic,
    namespace: resource.namespaced,
    steps: [
      { method: 'POST', path: collection, body: object },
      ...chosen.map((place) => attempt(sample, place, random)),
      { method: 'PUT', path: `${path}/status?dryRun=All`, body: changed, about: 'other parts of the object' },
      { method: 'POST', path: `${path}/status`, body: object, about: 'POST' },
      { method: 'DELETE', path: `${path}/status`, about: 'DELETE' },
      { method: 'GET', path: `${path}-absent/status`, about: 'an object that is not there' },
    ],
    cleanup: resource.namespaced ? [] : [{ method: 'DELETE', path }],
  };
}

function attempt({ resource, path, object }: KindSample, place: FieldPlace, random: Random): Step {
  const body = withValue(object, resource.message, place.segments, someValue(random, place.type, place.field));
  const about = textOf(place);
  if (random.chance(0.5)) return { method: 'PUT', path: `${path}/status?dryRun=All`, body, about };
  const type = random.pick(PATCHES);
  if (type === APPLY)
    return {
      method: 'PATCH',
      path: `${path}/status?dryRun=All&fieldManager=m&force=true`,
      body: { apiVersion: object['apiVersion'], kind: object['kind'], status: body['status'] },
      headers: { 'content-type': APPLY },
      about,
    };
  if (type === JSON_PATCH)
    return {
      method: 'PATCH',
      path: `${path}/status?dryRun=All`,
      body: [{ op: 'add', path: '/status', value: body['status'] }],
      headers: { 'content-type': JSON_PATCH },
      about,
    };
  return {
    method: 'PATCH',
    path: `${path}/status?dryRun=All`,
    body: { status: body['status'] },
    headers: { 'content-type': type },
    about,
  };
}
