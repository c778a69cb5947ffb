/** Runs NetworkPolicy enforcement for one node: watches policies, namespaces and pods, and syncs the rules. */
import type { Namespace, Pod } from '../api/generated/core-v1.ts';
import { InformerFactory, type Client } from '../client/index.ts';
import { RunGroup, type Context } from '../kernel/index.ts';
import { clusterView, samePolicyPod } from './cluster-view.ts';
import { planPolicies, type PlanOptions } from './plan-policies.ts';
import type { PodGate } from './pod-gate.ts';
import { PolicySync } from './sync-policies.ts';

interface NetworkPolicyOptions extends PlanOptions {
  readonly client: Client;
  /** The node's network namespace; undefined is the process's own. */
  readonly netns?: string | undefined;
  /** Holds pods' starts until their policies are in force. */
  readonly gate?: PodGate | undefined;
  /** Called once, after the rules were written for the first time. */
  readonly onReady?: () => void;
}

export async function run(ctx: Context, options: NetworkPolicyOptions): Promise<void> {
  const group = new RunGroup(ctx);
  const informers = new InformerFactory({ ...ctx, signal: group.signal }, { client: options.client });
  const policies = informers.informer('networking.k8s.io/v1/networkpolicies');
  const namespaces = informers.informer('v1/namespaces');
  const pods = informers.informer('v1/pods');
  const { gate } = options;
  const withAddresses = (list: readonly Pod[]): readonly Pod[] =>
    gate ? list.map((pod) => gate.withAddresses(pod)) : list;
  let ready = false;
  const sync = new PolicySync(ctx, {
    netns: options.netns,
    plan: () => {
      const all = policies.list();
      // Without policies no pod is isolated, so pods need no look.
      return planPolicies(
        clusterView({
          policies: all,
          namespaces: namespaces.list(),
          pods: all.length === 0 ? [] : withAddresses(pods.list()),
        }),
        options,
      );
    },
    onSynced: () => {
      if (!ready) options.onReady?.();
      ready = true;
    },
  });
  const changed = (): void => sync.changed();
  const unless =
    <Object>(same: (before: Object, after: Object) => boolean) =>
    (before: Object, after: Object): void => {
      if (!same(before, after)) sync.changed();
    };
  const onNamespace = unless<Namespace>(
    (before, after) => JSON.stringify(before.metadata.labels) === JSON.stringify(after.metadata.labels),
  );
  policies.addHandler({ onAdd: changed, onUpdate: changed, onDelete: changed });
  namespaces.addHandler({ onAdd: changed, onUpdate: onNamespace, onDelete: changed });
  pods.addHandler({ onAdd: changed, onUpdate: unless(samePolicyPod), onDelete: changed });
  group.start('informers', () => informers.run());
  group.start('policies', async (signal) => {
    await informers.waitForSync(signal);
    gate?.open({
      clock: ctx.clock,
      signal,
      policies: () => policies.list(),
      pod: (key) => pods.get(key),
      flush: () => sync.flush(),
    });
    await sync.run(signal);
  });
  await group.wait().finally(() => gate?.close(new Error('network policies are no longer enforced')));
}
