import type { Cache } from '../cache/cache.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { PodShape } from '../cache/pod-shape.ts';
import type { Profile } from '../framework/profile.ts';
import type { Evaluation } from './evaluation.ts';
import { ownEvaluations, type CreateEvaluation, type Evaluations } from './evaluations.ts';

/** An evaluation has some bytes for each node, so their number is limited. */
const MAX_EVALUATIONS = 64;

/**
 * Caches the evaluations of the pod shapes that were scheduled last. The plain counterpart evaluates every pod for itself.
 * Pays for the bench rows `10,000 plain pods on 5,000 nodes` and all others of the bench module `scheduler`.
 */
export class SharedEvaluations implements Evaluations {
  readonly #cache: Cache;
  readonly #create: CreateEvaluation;
  readonly #own: Evaluations;
  /** In the order of their last use. */
  readonly #byShape = new Map<PodShape, Evaluation>();
  #latest: Evaluation | undefined;

  constructor(cache: Cache, create: CreateEvaluation) {
    this.#cache = cache;
    this.#create = create;
    this.#own = ownEvaluations(create);
  }

  of(pod: PodInfo, profile: Profile): { evaluation: Evaluation; shared: boolean } {
    const signature = this.#cache.nominator.nodeOf(pod.uid) === undefined ? profile.signatureOf(pod) : undefined;
    if (signature === undefined) return this.#own.of(pod, profile);
    const known = this.#shared(pod, profile, signature);
    const evaluation = known ?? this.#create(pod, profile, signature);
    evaluation.refresh(pod);
    if (this.#latest === evaluation) return { evaluation, shared: true };
    this.#latest = evaluation;
    this.#byShape.delete(pod.shape);
    this.#byShape.set(pod.shape, evaluation);
    if (this.#byShape.size > MAX_EVALUATIONS)
      for (const oldest of this.#byShape.keys()) {
        this.#byShape.delete(oldest);
        break;
      }
    return { evaluation, shared: known !== undefined };
  }

  onNode(pod: PodInfo, profile: Profile, node: NodeInfo): Evaluation | undefined {
    const signature = profile.signatureOf(pod);
    const known = signature === undefined ? undefined : this.#shared(pod, profile, signature);
    if (known === undefined) return this.#own.onNode(pod, profile, node);
    known.refresh(pod);
    return known.fitsNow(node) ? known : undefined;
  }

  #shared(pod: PodInfo, profile: Profile, signature: string): Evaluation | undefined {
    const known = this.#byShape.get(pod.shape);
    return known !== undefined && known.profile === profile && known.signature === signature ? known : undefined;
  }
}
