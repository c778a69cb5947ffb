/**
 * Holds a pod's start until the NetworkPolicy rules for it are in force. The pod network reports the pod's addresses
 * here before its containers start, long before the pod's status shows them, so that policies protect the pod from
 * its first packet.
 */
import type { Pod } from '../api/generated/core-v1.ts';
import type { NetworkPolicy } from '../api/generated/networking-v1.ts';
import type { Clock } from '../kernel/index.ts';
import { labelSelectorAsSelector } from '../machinery/selectors/index.ts';

interface AttachedPod {
  readonly sandboxId: string;
  readonly namespace: string;
  readonly name: string;
  readonly ips: readonly string[];
}

/** The policy component, as the gate uses it. */
interface PolicyEngine {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  policies(): readonly NetworkPolicy[];
  pod(key: string): Pod | undefined;
  /** Resolves when all changes up to now are in force. */
  flush(): Promise<void>;
}

const POLL_MS = 10;
const UNKNOWN_POD_TIMEOUT_MS = 5000;

export class PodGate {
  readonly #attached = new Map<string, AttachedPod>();
  #engine: Promise<PolicyEngine>;
  #resolveEngine: (engine: PolicyEngine) => void = () => undefined;
  #rejectEngine: (error: unknown) => void = () => undefined;

  /**
   * The informer usually has a pod shortly after the kubelet; `admit` fails after the timeout and the caller retries.
   */
  readonly #options: { readonly unknownPodTimeoutMs: number };

  constructor(options: { readonly unknownPodTimeoutMs: number } = { unknownPodTimeoutMs: UNKNOWN_POD_TIMEOUT_MS }) {
    this.#options = options;
    this.#engine = new Promise((resolve, reject) => {
      this.#resolveEngine = resolve;
      this.#rejectEngine = reject;
    });
    this.#engine.catch(() => undefined);
  }

  /** Starts admitting pods. */
  open(engine: PolicyEngine): void {
    this.#resolveEngine(engine);
  }

  /** Fails pending and later calls of `admit` with the reason. */
  close(reason: unknown): void {
    this.#rejectEngine(reason);
    this.#engine = Promise.reject(reason as Error);
    this.#engine.catch(() => undefined);
  }

  /** Resolves when the policies that select the pod are in force for its addresses. */
  async admit(attached: AttachedPod): Promise<void> {
    const engine = await this.#engine;
    const key = keyOf(attached);
    this.#attached.set(key, attached);
    const limit = engine.clock.monotonic() + this.#options.unknownPodTimeoutMs;
    // Without policies in its namespace the pod starts at once.
    for (;;) {
      const policies = engine.policies().filter(({ metadata }) => metadata.namespace === attached.namespace);
      if (policies.length === 0) return;
      const pod = engine.pod(key);
      if (pod !== undefined) {
        if (
          policies.some(({ spec }) =>
            labelSelectorAsSelector(spec?.podSelector ?? {}).matches(pod.metadata.labels ?? {}),
          )
        )
          await engine.flush();
        return;
      }
      if (engine.clock.monotonic() > limit) {
        this.release(attached);
        throw new Error(`network policy: pod ${key} is not in the informer's cache yet`);
      }
      await engine.clock.sleep(POLL_MS, engine.signal);
    }
  }

  /** Forgets the addresses of a sandbox that is gone. */
  release({ namespace, name, sandboxId }: Pick<AttachedPod, 'namespace' | 'name' | 'sandboxId'>): void {
    const key = keyOf({ namespace, name });
    if (this.#attached.get(key)?.sandboxId === sandboxId) this.#attached.delete(key);
  }

  /** The pod with the addresses of its sandbox, if the sandbox is attached on this node. */
  withAddresses(pod: Pod): Pod {
    const attached = this.#attached.get(keyOf({ namespace: pod.metadata.namespace!, name: pod.metadata.name! }));
    return attached === undefined
      ? pod
      : { ...pod, status: { ...pod.status, podIPs: attached.ips.map((ip) => ({ ip })) } };
  }
}

const keyOf = ({ namespace, name }: { namespace: string; name: string }): string => `${namespace}/${name}`;
