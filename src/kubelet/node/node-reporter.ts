/**
 * Registers the node, and updates its node status: at once when something changes, otherwise every
 * nodeStatusReportFrequency.
 */
import type { Node, NodeStatus, Taint } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import { isAlreadyExists, type Client, type EventRecorder } from '../../client/index.ts';
import { childContext, type Context, WakeUp } from '../../kernel/index.ts';
import { conditionEventReason } from './condition-events.ts';

interface NodeReporterOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly providerId: string;
  readonly registerNode: boolean;
  readonly unschedulable: boolean;
  readonly podCidr: string;
  readonly controllerAttachDetach: boolean;
  readonly events: EventRecorder;
  readonly updateFrequencyMs: number;
  readonly reportFrequencyMs: number;
  readonly status: (before: Node | undefined) => Promise<NodeStatus>;
}

const RETRY_MS = 100;
const MAX_RETRY_MS = 7000;
const ATTACH_DETACH = 'volumes.kubernetes.io/controller-managed-attach-detach';

export class NodeReporter {
  readonly #ctx: Context;
  readonly #options: NodeReporterOptions;
  #node: Node | undefined;
  #lastReportAt = -Infinity;
  readonly #wakeUp = new WakeUp();
  #changed = false;

  constructor(ctx: Context, options: NodeReporterOptions) {
    this.#ctx = childContext(ctx, 'node');
    this.#options = options;
  }

  get node(): Node | undefined {
    return this.#node;
  }

  /** The node status must be computed again at once. */
  changed(): void {
    this.#changed = true;
    this.#wakeUp.wake();
  }

  async register(): Promise<void> {
    const { clock, signal, logger } = this.#ctx;
    for (let delay = RETRY_MS; ; delay = Math.min(delay * 2, MAX_RETRY_MS)) {
      try {
        this.#node = await this.#registerOnce();
        this.#lastReportAt = clock.monotonic();
        return;
      } catch (error) {
        if (signal.aborted) throw error;
        logger.error(error, 'Unable to register node with API server', { node: this.#options.nodeName });
        await clock.sleep(delay, signal);
      }
    }
  }

  async run(): Promise<void> {
    const { clock, signal, logger } = this.#ctx;
    while (!signal.aborted) {
      if (!this.#changed) await this.#pause();
      if (signal.aborted) return;
      this.#changed = false;
      await this.#report().catch(async (error: unknown) => {
        if (signal.aborted) return;
        logger.v(1).info('Error updating node status, will retry', { err: errorMessage(error) });
        await clock.sleep(1000, signal).catch(() => {});
        this.#changed = true;
      });
    }
  }

  async #registerOnce(): Promise<Node> {
    const { client, nodeName, registerNode } = this.#options;
    const { signal } = this.#ctx;
    const nodes = client.resource('v1/nodes');
    if (!registerNode) return nodes.get({ name: nodeName }, { signal });
    const initial = await this.#initialNode();
    try {
      return await nodes.create(initial, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const existing = await nodes.get({ name: nodeName }, { signal });
    const labels = { ...existing.metadata.labels, ...initial.metadata.labels };
    const annotations = { ...existing.metadata.annotations, ...initial.metadata.annotations };
    const spec =
      existing.spec?.providerID || !initial.spec?.providerID
        ? existing.spec
        : { ...existing.spec, providerID: initial.spec.providerID };
    const isSame =
      JSON.stringify([existing.metadata.labels, existing.metadata.annotations, existing.spec]) ===
      JSON.stringify([labels, annotations, spec]);
    const updated = isSame
      ? existing
      : await nodes.patch(
          { name: nodeName },
          { metadata: { labels, annotations }, ...(spec?.providerID ? { spec: { providerID: spec.providerID } } : {}) },
          { type: 'strategic', signal },
        );
    return nodes.patch({ name: nodeName }, statusPatch(await this.#options.status(updated)), {
      type: 'strategic',
      subresource: 'status',
      signal,
    });
  }

  async #initialNode(): Promise<Node> {
    const { nodeName, labels, taints, providerId, unschedulable, podCidr, controllerAttachDetach } = this.#options;
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: nodeName,
        labels: { ...labels },
        ...(controllerAttachDetach ? { annotations: { [ATTACH_DETACH]: 'true' } } : {}),
      },
      spec: {
        ...(taints.length > 0 ? { taints: [...taints] } : {}),
        ...(providerId === '' ? {} : { providerID: providerId }),
        ...(unschedulable ? { unschedulable: true } : {}),
        ...(podCidr === '' ? {} : { podCIDR: podCidr, podCIDRs: [podCidr] }),
      },
      status: await this.#options.status(undefined),
    };
  }

  async #report(): Promise<void> {
    const { client, nodeName, reportFrequencyMs } = this.#options;
    const { clock, signal } = this.#ctx;
    // Others may have changed the node: an administrator adds capacity, a controller conditions.
    const before = await client.resource('v1/nodes').get({ name: nodeName }, { signal });
    const status = await this.#options.status(before);
    const isDue = clock.monotonic() - this.#lastReportAt >= reportFrequencyMs;
    if (!isDue && sameButForHeartbeats(before?.status, status)) return;
    const patch = statusPatch(status);
    this.#node = await client
      .resource('v1/nodes')
      .patch({ name: nodeName }, patch, { type: 'strategic', subresource: 'status', signal });
    this.#lastReportAt = clock.monotonic();
    this.#recordConditionChanges(before?.status, status);
  }

  #recordConditionChanges(before: NodeStatus | undefined, after: NodeStatus): void {
    for (const condition of after.conditions ?? []) {
      const previous = before?.conditions?.find(({ type }) => type === condition.type);
      if (previous?.status !== condition.status) this.recordConditionEvent(condition.type, condition.status);
    }
  }

  recordConditionEvent(type: string, status: string): void {
    const reason = conditionEventReason(type, status);
    if (reason !== undefined) this.event('Normal', reason, `Node ${this.#options.nodeName} status is now: ${reason}`);
  }

  event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { events, nodeName } = this.#options;
    events.event({ reference: { kind: 'Node', name: nodeName, uid: nodeName, apiVersion: '' } }, type, reason, message);
  }

  async #pause(): Promise<void> {
    const { clock, signal } = this.#ctx;
    const timer = clock.after(this.#options.updateFrequencyMs, () => this.#wakeUp.wake());
    await this.#wakeUp.wait(signal);
    timer.cancel();
  }
}

/**
 * A strategic merge patch of the node status. Addresses would be merged, so they are replaced explicitly; optional
 * lists that are absent are removed. `volumesAttached` belongs to the attach/detach controller.
 */
function statusPatch({ volumesAttached: _, ...status }: NodeStatus): object {
  return {
    status: {
      ...status,
      volumesInUse: status.volumesInUse ?? null,
      runtimeHandlers: status.runtimeHandlers ?? null,
      addresses: [{ $patch: 'replace' }, ...(status.addresses ?? [])],
    },
  };
}

function sameButForHeartbeats(before: NodeStatus | undefined, after: NodeStatus): boolean {
  const strip = (status: NodeStatus | undefined): string => {
    const { conditions = [], volumesAttached: _, images = [], ...rest } = status ?? {};
    return canonical({
      ...rest,
      images,
      conditions: conditions.map(
        ({ lastHeartbeatTime: _heartbeat, lastTransitionTime: _transition, ...condition }) => condition,
      ),
    });
  };
  return strip(before) === strip(after);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(
          Object.entries(item)
            .filter(([, v]) => v !== undefined && v !== '')
            .toSorted(([a], [b]) => (a < b ? -1 : 1)),
        )
      : item,
  );
}
