/** Every field of every kind with valid, boundary and invalid values on create. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { fieldPlaces, textOf, withValue, type FieldPlace } from '../fields.ts';
import { samplesOf, type KindSample } from '../kinds.ts';
import { Random } from '../random.ts';
import { someValue } from '../values.ts';

const FIELDS_A_CONVERSATION = 8;
const VALUES_A_FIELD = 2;
/** Pod templates are the Pod's fields once more: some of them will do. */
const OF_TEMPLATES = 0.08;
const OF_METADATA = 0.15;

export const create: Area = { weight: 10, conversations };

function* conversations(options: AreaOptions): Generator<Conversation> {
  for (let round = 0; ; round++) {
    const random = new Random(`${options.seed}/${round}`);
    const open = samplesOf(options).map((sample) => ({ sample, places: random.shuffled(placesOf(sample, random)) }));
    while (open.length > 0) {
      const turn = random.pick(open);
      const places = turn.places.splice(0, FIELDS_A_CONVERSATION);
      if (turn.places.length === 0) open.splice(open.indexOf(turn), 1);
      yield {
        topic: turn.sample.topic,
        namespace: turn.sample.resource.namespaced,
        steps: places.flatMap((place) => attempts(turn.sample, place, random)),
      };
    }
  }
}

export function placesOf({ resource }: KindSample, random: Random): FieldPlace[] {
  return fieldPlaces(resource.message).filter(({ segments }) => {
    if (segments[0] === 'metadata') return random.chance(OF_METADATA);
    return !segments.includes('template') && !segments.includes('jobTemplate') ? true : random.chance(OF_TEMPLATES);
  });
}

function attempts({ resource, collection, object }: KindSample, place: FieldPlace, random: Random): Step[] {
  return Array.from({ length: VALUES_A_FIELD }, () => {
    const validation = random.pick([
      '',
      '',
      '&fieldValidation=Strict',
      '&fieldValidation=Warn',
      '&fieldValidation=Ignore',
    ]);
    const value = someValue(random, place.type, place.field);
    return {
      method: 'POST',
      path: `${collection}?dryRun=All${validation}`,
      body: withValue(object, resource.message, place.segments, value),
      about: textOf(place),
    };
  });
}
