import type { Answer } from '../answers.ts';
/** `explanations`: what `k8ts why` answers, read as the user who asks. */
import { EXPLAINED, unhealthyObjects, why } from '../why/explain.ts';
import type { ReaderOptions } from '../why/reader.ts';
import { mayListNodes, shownDecision } from './decisions.ts';
import { GLASS_API } from './glass-group.ts';
import type { GlassRequest, GlassSources } from './glass-sources.ts';
import { namedObject, referenceName } from './object-reference.ts';

export async function readExplanations(sources: GlassSources, request: GlassRequest): Promise<object> {
  const { namespace, name, user, signal } = request;
  const client = sources.clientAs(user);
  const seesNodes = await mayListNodes(sources, user);
  const { schedulingDecision } = sources;
  const options: ReaderOptions = {
    client,
    now: () => sources.clock.now(),
    signal,
    ...(request.query.get('nodes') === 'all' ? { maxNodes: Infinity } : {}),
    ...(schedulingDecision
      ? {
          schedulingDecision: (pod) => {
            const decision = schedulingDecision(pod);
            return Promise.resolve(decision && shownDecision(decision, seesNodes));
          },
        }
      : {}),
  };
  if (name === '') {
    const found = await unhealthyObjects(namespace, options);
    const items = found.map(({ resource, answer }) =>
      explanationObject(referenceName(resource, answer.subject.name), answer),
    );
    return { kind: 'ExplanationList', apiVersion: GLASS_API, metadata: {}, items };
  }
  const target = await namedObject(client, { plural: 'explanations', namespace, name });
  const word = EXPLAINED.wordOf(target.resource);
  const answer = await why(`${word}/${target.name}`, {
    ...options,
    finder: target.finder,
    ...(namespace === '' ? {} : { namespace }),
  });
  return explanationObject(name, answer);
}

const explanationObject = (name: string, answer: Answer): object => ({
  kind: 'Explanation',
  apiVersion: GLASS_API,
  metadata: { name, ...(answer.subject.namespace ? { namespace: answer.subject.namespace } : {}) },
  status: answer,
});
