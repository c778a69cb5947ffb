/** What controllers and the scheduler make of objects: statuses, generated objects, events. Steps play the kubelet. */
import type { Area, AreaOptions, Conversation } from '../conversation.ts';
import { Random } from '../random.ts';
import { autoscaling, endpoints, namespaces, quotas, volumes } from './scenarios/cluster.ts';
import { claims, evictions, preemption, unschedulable } from './scenarios/scheduling.ts';
import type { Scenario } from './scenarios/steps.ts';
import { daemons, deployments, jobs, policies, statefulSets } from './scenarios/workloads.ts';

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  deployments,
  statefulSets,
  daemons,
  jobs,
  policies,
  autoscaling,
  endpoints,
  namespaces,
  quotas,
  volumes,
  unschedulable,
  preemption,
  evictions,
  claims,
};

export const scenarios: Area = { weight: 3, conversations };

function* conversations({ seed, kinds, controllers = false }: AreaOptions): Generator<Conversation> {
  if (kinds.length > 0 || !controllers) return;
  for (let round = 0; ; round++) {
    const random = new Random(`${seed}/${round}`);
    for (const [topic, scenario] of random.shuffled(Object.entries(SCENARIOS)))
      yield { topic, namespace: true, ...scenario(random) };
  }
}
