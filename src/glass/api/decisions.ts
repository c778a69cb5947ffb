/** `decisions`: the scheduler's newest decision about a pod, for those who may get the pod. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { notFound } from '../../machinery/errors/index.ts';
import { accessTo, type Asker } from '../access/explain-access.ts';
import type { SchedulingDecision } from '../why/reader.ts';
import { GLASS_API, GLASS_GROUP } from './glass-group.ts';
import type { GlassRequest, GlassSources } from './glass-sources.ts';

const MAX_PODS = 500;

export async function readDecisions(sources: GlassSources, request: GlassRequest): Promise<object> {
  const { namespace, name, user, signal } = request;
  const pods = sources.clientAs(user).resource('v1/pods');
  const seesNodes = await mayListNodes(sources, user);
  const decisionOf = ({ metadata }: Pod): object[] => {
    const place = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
    const decision = sources.schedulingDecision?.(place);
    return decision
      ? [{ kind: 'Decision', apiVersion: GLASS_API, metadata: place, status: shownDecision(decision, seesNodes) }]
      : [];
  };
  if (name !== '') {
    const [found] = decisionOf(await pods.get({ namespace, name }, { signal }));
    if (!found) throw notFound({ group: GLASS_GROUP, resource: 'decisions' }, name);
    return found;
  }
  const { items } = await pods.list({ ...(namespace === '' ? {} : { namespace }), limit: MAX_PODS, signal });
  return { kind: 'DecisionList', apiVersion: GLASS_API, metadata: {}, items: items.flatMap(decisionOf) };
}

export const mayListNodes = ({ insight }: GlassSources, user: Asker): Promise<boolean> =>
  insight.isAllowed(user, accessTo('list', '', 'nodes'));

/** A decision tells about all nodes: whoever may not list them sees what the pod's condition says, and no more. */
export const shownDecision = (decision: SchedulingDecision, seesNodes: boolean): SchedulingDecision =>
  seesNodes ? decision : { ...decision, nodes: [], whatWouldHelp: [] };
