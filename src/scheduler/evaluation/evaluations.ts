import type { Random } from '../../kernel/index.ts';
import type { Cache } from '../cache/cache.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { PodShape } from '../cache/pod-shape.ts';
import type { Profile } from '../framework/profile.ts';
import { Evaluation } from './evaluation.ts';

/** An evaluation has some bytes for each node, so their number is limited. */
const MAX_EVALUATIONS = 64;

/** Caches the evaluations of the pod shapes that were scheduled last. */
export class Evaluations {
  readonly #cache: Cache;
  readonly #random: Random;
  /** In the order of their last use. */
  readonly #byShape = new Map<PodShape, Evaluation>();
  #latest: Evaluation | undefined;

  constructor(cache: Cache, random: Random) {
    this.#cache = cache;
    this.#random = random;
  }

  /** An up-to-date evaluation for the pod, shared with equal pods when the plugins allow that. */
  of(pod: PodInfo, profile: Profile): { evaluation: Evaluation; shared: boolean } {
    const signature = this.#cache.nominator.nodeOf(pod.uid) === undefined ? profile.signatureOf(pod) : undefined;
    if (signature === undefined) {
      const evaluation = this.#create(pod, profile, undefined);
      evaluation.refresh(pod);
      return { evaluation, shared: false };
    }
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

  /** An evaluation of the pod's nominated node only. Undefined when the pod does not fit there yet. */
  onNode(pod: PodInfo, profile: Profile, node: NodeInfo): Evaluation | undefined {
    const signature = profile.signatureOf(pod);
    const known = signature === undefined ? undefined : this.#shared(pod, profile, signature);
    if (known !== undefined) {
      known.refresh(pod);
      return known.fitsNow(node) ? known : undefined;
    }
    const evaluation = this.#create(pod, profile, undefined);
    return evaluation.fitsOn(pod, node) ? evaluation : undefined;
  }

  #shared(pod: PodInfo, profile: Profile, signature: string): Evaluation | undefined {
    const known = this.#byShape.get(pod.shape);
    return known !== undefined && known.profile === profile && known.signature === signature ? known : undefined;
  }

  #create(pod: PodInfo, profile: Profile, signature: string | undefined): Evaluation {
    return new Evaluation({ profile, cache: this.#cache, random: this.#random, pod, signature });
  }
}
