/** The tables that kubectl shows: cells and columns of objects with many fields, and of objects with a status. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { keptSamplesOf, type KindSample } from '../kinds.ts';
import { Random } from '../random.ts';
import { mixed, someContent } from './objects.ts';

const TABLE = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };

export const tables: Area = { weight: 3, conversations };

function* conversations(options: AreaOptions): Generator<Conversation> {
  for (let round = 0; ; round++) {
    const random = new Random(`${options.seed}/${round}`);
    for (const sample of random.shuffled(keptSamplesOf(options))) yield conversation(sample, random);
  }
}

function conversation({ resource, collection, path, object, topic }: KindSample, random: Random): Conversation {
  const made = (): unknown => mixed(object, someContent(random, resource.message));
  const include = random.pick([
    '',
    '&includeObject=None',
    '&includeObject=Object',
    '&includeObject=Metadata',
    '&includeObject=Nope',
  ]);
  const labelled = { ...object, metadata: { ...(object['metadata'] as object), labels: { own: '$RUN' } } };
  const steps: Step[] = [
    { method: 'POST', path: collection, body: labelled, setup: true },
    { method: 'GET', path: `${collection}?labelSelector=own%3D$RUN${include}`, headers: TABLE },
    { method: 'GET', path: `${path}?${include.slice(1)}`, headers: TABLE },
    ...Array.from({ length: 3 }, (): Step => ({
      method: 'POST',
      path: `${collection}?dryRun=All`,
      body: made(),
      headers: TABLE,
    })),
  ];
  if (resource.subresources['status'])
    steps.push(
      ...Array.from({ length: 3 }, (): Step => ({
        method: 'PUT',
        path: `${path}/status?dryRun=All`,
        body: made(),
        headers: TABLE,
      })),
    );
  return {
    topic,
    namespace: resource.namespaced,
    steps,
    cleanup: resource.namespaced ? [] : [{ method: 'DELETE', path }],
  };
}
