/**
 * Where a node's network asks before a pod's containers start: a pod is let in when the rules that are for it are in
 * force. Its address is known here first, long before its status says so; until then policies could not protect it.
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

/** What the gate needs of the component that writes the rules. */
interface PolicyEngine {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  policies(): readonly NetworkPolicy[];
  pod(key: string): Pod | undefined;
  /** Resolves when what is known now is in force. */
  flush(): Promise<void>;
}

const LOOK_AGAIN_MS = 10;
const UNKNOWN_LIMIT_MS = 5000;

export class PodGate {
  readonly #attached = new Map<string, AttachedPod>();
  #engine: Promise<PolicyEngine>;
  #opened: (engine: PolicyEngine) => void = () => undefined;
  #failed: (error: unknown) => void = () => undefined;

  /** A pod that the kubelet knows is known here within moments; after the limit, whoever asks has to ask again. */
  constructor(private readonly options: { readonly unknownLimitMs: number } = { unknownLimitMs: UNKNOWN_LIMIT_MS }) {
    this.#engine = new Promise((resolve, reject) => {
      this.#opened = resolve;
      this.#failed = reject;
    });
    this.#engine.catch(() => undefined);
  }

  /** From now on pods can be let in. */
  open(engine: PolicyEngine): void {
    this.#opened(engine);
  }

  /** Whoever waits hears why nobody will be let in any more. */
  close(reason: unknown): void {
    this.#failed(reason);
    this.#engine = Promise.reject(reason as Error);
    this.#engine.catch(() => undefined);
  }

  /** Resolves when the policies that select the pod are in force for its addresses. */
  async admit(attached: AttachedPod): Promise<void> {
    const engine = await this.#engine;
    const key = keyOf(attached);
    this.#attached.set(key, attached);
    const limit = engine.clock.monotonic() + this.options.unknownLimitMs;
    // Without policies in its namespace nobody has to know the pod.
    for (;;) {
      const own = engine.policies().filter(({ metadata }) => metadata.namespace === attached.namespace);
      if (own.length === 0) return;
      const pod = engine.pod(key);
      if (pod !== undefined) {
        if (own.some(({ spec }) => labelSelectorAsSelector(spec?.podSelector ?? {}).matches(pod.metadata.labels ?? {})))
          await engine.flush();
        return;
      }
      if (engine.clock.monotonic() > limit) {
        this.release(attached);
        throw new Error(`the pod ${key} is not known to the network policies of its namespace yet`);
      }
      await engine.clock.sleep(LOOK_AGAIN_MS, engine.signal);
    }
  }

  /** Its addresses are no longer that sandbox's. */
  release({ namespace, name, sandboxId }: Pick<AttachedPod, 'namespace' | 'name' | 'sandboxId'>): void {
    const key = keyOf({ namespace, name });
    if (this.#attached.get(key)?.sandboxId === sandboxId) this.#attached.delete(key);
  }

  /** The pod with the addresses that its network has given it, where that is known here. */
  withAddresses(pod: Pod): Pod {
    const attached = this.#attached.get(keyOf({ namespace: pod.metadata.namespace!, name: pod.metadata.name! }));
    return attached === undefined
      ? pod
      : { ...pod, status: { ...pod.status, podIPs: attached.ips.map((ip) => ({ ip })) } };
  }
}

const keyOf = ({ namespace, name }: { namespace: string; name: string }): string => `${namespace}/${name}`;
