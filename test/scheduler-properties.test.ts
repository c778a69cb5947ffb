/**
 * Random clusters and random pods: what the scheduler decides from its columns and shared evaluations, a fresh evaluation
 * and the plain rules of testing-naive.ts must all say the same, and no placement may break a hard constraint.
 */
import { expect, test } from 'vitest';
import type { Node, Pod, PodSpec } from '../src/api/generated/core-v1.ts';
import { SeededRandom, type Random } from '../src/kernel/index.ts';
import { Cache } from '../src/scheduler/cache/cache.ts';
import { PodInfo } from '../src/scheduler/cache/pod-info.ts';
import { Evaluation } from '../src/scheduler/evaluation/evaluation.ts';
import { SharedEvaluations } from '../src/scheduler/evaluation/shared-evaluations.ts';
import type { Profile } from '../src/scheduler/framework/profile.ts';
import { makeNode, makePod, testProfile } from '../src/scheduler/testing/index.ts';
import { naiveFits, naiveScores, type NaiveCluster } from '../src/scheduler/testing/naive.ts';
import { everything } from './requires.ts';

const ROUNDS = everything ? 10_000 : 300;
const ROUNDS_PER_CLUSTER = 50;

const HOST = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';

function randomNode(random: Random, i: number): Node {
  const node = makeNode(`n${i}`).allocatable({
    cpu: String(1 + random.integer(8)),
    memory: `${1 + random.integer(16)}Gi`,
    pods: String(2 + random.integer(12)),
  });
  if (random.next() < 0.85) node.zone(`z${random.integer(3)}`);
  if (random.next() < 0.5) node.label('disk', random.next() < 0.5 ? 'ssd' : 'hdd');
  if (random.next() < 0.15) node.taint({ key: 'dedicated', value: 'a', effect: 'NoSchedule' });
  if (random.next() < 0.2) node.taint({ key: 'slow', effect: 'PreferNoSchedule' });
  if (random.next() < 0.05) node.unschedulable();
  return node.obj();
}

/** One of a few kinds, so that shapes repeat and evaluations are shared. */
function randomPod(random: Random, name: string): Pod {
  const app = `app${random.integer(3)}`;
  const pod = makePod(name, `ns${random.integer(2)}`).label('app', app);
  if (random.next() < 0.8)
    pod.requests({ cpu: `${100 * (1 + random.integer(4))}m`, memory: `${256 * (1 + random.integer(3))}Mi` });
  const labelSelector = { matchLabels: { app } };
  const key = random.next() < 0.5 ? ZONE : HOST;
  const spec: Partial<PodSpec> = {};
  switch (random.integer(11)) {
    case 0:
      spec.nodeSelector = { disk: 'ssd' };
      break;
    case 1:
      spec.tolerations = [{ key: 'dedicated', operator: 'Exists' }];
      break;
    case 2:
      spec.affinity = {
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: key, labelSelector }] },
      };
      break;
    case 3:
      spec.affinity = {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: key, labelSelector, namespaces: ['ns0', 'ns1'] },
          ],
        },
      };
      break;
    case 4:
      spec.topologySpreadConstraints = [
        {
          topologyKey: key,
          maxSkew: 1 + random.integer(2),
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector,
          ...(random.next() < 0.3 ? { minDomains: 3 } : {}),
          ...(random.next() < 0.3 ? { nodeTaintsPolicy: 'Honor' } : {}),
        },
      ];
      break;
    case 5:
      spec.topologySpreadConstraints = [
        { topologyKey: ZONE, maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway', labelSelector },
        { topologyKey: HOST, maxSkew: 2, whenUnsatisfiable: 'ScheduleAnyway', labelSelector },
      ];
      break;
    case 6:
      spec.affinity = {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 10, podAffinityTerm: { topologyKey: key, labelSelector } },
          ],
        },
      };
      break;
    case 7:
      spec.affinity = {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 7, podAffinityTerm: { topologyKey: key, labelSelector } },
          ],
        },
      };
      break;
    case 8:
      spec.affinity = {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 5, preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] } },
          ],
        },
      };
      break;
    case 9:
      pod.hostPort(8000 + random.integer(2));
      break;
    default:
  }
  return pod.uid(name).spec(spec).obj();
}

class Comparison {
  readonly cache = new Cache();
  readonly profile: Profile = testProfile(this.cache);
  readonly #random: Random;
  readonly #evaluations: SharedEvaluations;
  readonly #nodes = new Map<string, Node>();
  readonly #pods = new Map<string, { pod: Pod; nodeName: string }>();
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#evaluations = new SharedEvaluations(
      this.cache,
      (pod, profile, signature) => new Evaluation({ profile, cache: this.cache, random, pod, signature }),
    );
    for (let i = 0; i < 3 + random.integer(12); i++) this.setNode(randomNode(random, i));
  }

  get cluster(): NaiveCluster {
    return { nodes: [...this.#nodes.values()], pods: [...this.#pods.values()] };
  }

  setNode(node: Node): void {
    this.#nodes.set(node.metadata.name!, node);
    this.cache.setNode(node);
  }

  round(): void {
    const random = this.#random;
    const chance = random.next();
    if (chance < 0.12) this.#removePod();
    else if (chance < 0.16) this.setNode(randomNode(random, random.integer(16)));
    else if (chance < 0.18) this.#removeNode();
    else if (chance < 0.21) this.#terminatePod();
    else this.#schedule(randomPod(random, `p${this.#count++}`));
  }

  #schedule(pod: Pod): void {
    const info = new PodInfo(pod);
    const { cluster } = this;
    const fitting = cluster.nodes.filter((node) => naiveFits(cluster, pod, node));
    const names = fitting.map((n) => n.metadata.name!).sort();
    const { evaluation } = this.#evaluations.of(info, this.profile);
    const fresh = new Evaluation({
      profile: this.profile,
      cache: this.cache,
      random: this.#random,
      pod: info,
      signature: undefined,
      tournamentTree: false,
    });
    fresh.refresh(info);
    const feasible = (e: Evaluation): string[] =>
      e.preFilterFailure
        ? []
        : e
            .feasibleNodes()
            .map((n) => n.name)
            .sort();
    const what = `${JSON.stringify(pod.spec)} on ${JSON.stringify(cluster.nodes.map((n) => [n.metadata.name, n.metadata.labels, n.spec]))}`;
    expect(feasible(evaluation), `shared: ${what}`).toEqual(names);
    expect(feasible(fresh), `fresh: ${what}`).toEqual(names);
    const chosen = evaluation.selectNode()?.name;
    expect(chosen === undefined, what).toBe(names.length === 0);
    if (chosen === undefined) return;
    this.#compareScores({ pod, fitting, evaluation, fresh, chosen, what });
    this.cache.assume(info, chosen);
    this.#pods.set(pod.metadata.uid!, { pod, nodeName: chosen });
  }

  /** Up to what is the same for every node: plugins that have nothing to say are left out by some and not by others. */
  #compareScores(options: {
    pod: Pod;
    fitting: readonly Node[];
    evaluation: Evaluation;
    fresh: Evaluation;
    chosen: string;
    what: string;
  }): void {
    const { pod, fitting, evaluation, fresh, chosen, what } = options;
    if (fitting.length < 2) return;
    const naive = naiveScores(this.cluster, pod, fitting);
    const byName = new Map(fitting.map((node, i) => [node.metadata.name!, naive[i]!]));
    const best = Math.max(...naive);
    fresh.selectNode();
    const totals = (e: Evaluation): Map<string, number> =>
      new Map(e.scoredNodes(fitting.length).map(({ node, total }) => [node.name, total]));
    for (const [path, scores] of [
      ['shared', totals(evaluation)],
      ['fresh', totals(fresh)],
    ] as const) {
      const top = Math.max(...scores.values());
      for (const [node, total] of scores)
        expect(top - total, `${path} score of ${node}: ${what}`).toBe(best - byName.get(node)!);
    }
    expect(byName.get(chosen), what).toBe(best);
  }

  #removePod(): void {
    const uid = this.#anyPod();
    if (uid === undefined) return;
    this.#pods.delete(uid);
    this.cache.removePod(uid);
  }

  #terminatePod(): void {
    const uid = this.#anyPod();
    const placed = uid === undefined ? undefined : this.#pods.get(uid);
    if (uid === undefined || placed === undefined) return;
    const pod: Pod = {
      ...placed.pod,
      metadata: { ...placed.pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      spec: { ...placed.pod.spec!, nodeName: placed.nodeName },
    };
    this.#pods.set(uid, { ...placed, pod });
    this.cache.setPod(pod);
  }

  #removeNode(): void {
    const names = [...this.#nodes.keys()];
    const name = names[this.#random.integer(Math.max(1, names.length))];
    if (name === undefined || names.length <= 2) return;
    this.#nodes.delete(name);
    this.cache.removeNode(name);
    for (const [uid, { nodeName }] of this.#pods) {
      if (nodeName !== name) continue;
      this.#pods.delete(uid);
      this.cache.removePod(uid);
    }
  }

  #anyPod(): string | undefined {
    const uids = [...this.#pods.keys()];
    return uids.length === 0 ? undefined : uids[this.#random.integer(uids.length)];
  }
}

test(`${ROUNDS} rounds: columns, shared evaluations and the plain rules agree`, { timeout: 600_000 }, () => {
  const random = new SeededRandom(20_260_116);
  for (let done = 0; done < ROUNDS; done += ROUNDS_PER_CLUSTER) {
    const comparison = new Comparison(random);
    for (let i = 0; i < ROUNDS_PER_CLUSTER; i++) comparison.round();
  }
});
