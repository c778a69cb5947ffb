/** horizontal-pod-autoscaler-controller: sizes follow metrics. */
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerCondition, HorizontalPodAutoscalerStatus, MetricStatus } from '../../api/generated/autoscaling-v2.ts';
import type { Scale } from '../../api/generated/autoscaling-v1.ts';
import { byNamespace, keyOf, NAMESPACE_INDEX } from '../../client/index.ts';
import { parseQuantity } from '../../machinery/quantity/index.ts';
import { parseLabelSelector } from '../../machinery/selectors/index.ts';
import { formatTime } from '../../machinery/time/index.ts';
import { keyedLoop, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { ScaleClient, type ScaleTarget } from '../scale-client.ts';
import { ignoringStale, sameStatus } from '../status.ts';
import { MetricFailure, proposalOf } from './compute-replicas.ts';
import { createMetricsClient, type MetricsClient } from './metrics-client.ts';
import { limitReplicas, scalingRules, type ScalingHistory } from './scaling-behavior.ts';

const WORKERS = 5;

type Conditions = readonly HorizontalPodAutoscalerCondition[];

export const horizontalPodAutoscalerController: ControllerDescriptor = {
  name: 'horizontal-pod-autoscaler-controller',
  aliases: ['horizontalpodautoscaling'],
  eventSource: 'horizontal-pod-autoscaler',
  build: (context) => autoscalerLoop(context, createMetricsClient(context.client, context.signal)),
};

export function autoscalerLoop(context: ControllerContext, metrics: MetricsClient): () => Promise<void> {
  const { client, clock, signal, recorder } = context;
  /** Each autoscaler is looked at this often, and no more often: metrics need time to show what a change did. */
  const { syncPeriodMs, tolerance: defaultTolerance, downscaleStabilizationMs } = context.config.horizontalPodAutoscaler;
  const autoscalers = context.informers.informer('autoscaling/v2/horizontalpodautoscalers');
  const pods = context.informers.informer('v1/pods', {}, { [NAMESPACE_INDEX]: byNamespace });
  const scales = new ScaleClient(context);
  const histories = new Map<string, ScalingHistory>();

  const reconcile = async (key: string): Promise<void> => {
    const autoscaler = autoscalers.get(key);
    if (!autoscaler) return void histories.delete(key);
    queue.addAfter(key, syncPeriodMs);
    if (autoscaler.metadata.deletionTimestamp !== undefined) return;
    const history = histories.get(key) ?? { recommendations: [], events: [] };
    histories.set(key, history);
    const sync = new AutoscalerSync(autoscaler, history);
    await sync.run();
    if (!sameStatus(withoutNothing(sync.status), withoutNothing(autoscaler.status))) await ignoringStale(() => client.resource('autoscaling/v2/horizontalpodautoscalers').updateStatus({ ...autoscaler, status: sync.status }, { signal }));
  };

  class AutoscalerSync {
    status: HorizontalPodAutoscalerStatus;
    readonly #target: ScaleTarget;

    constructor(
      readonly autoscaler: HorizontalPodAutoscaler,
      readonly history: ScalingHistory,
    ) {
      const { kind, name, apiVersion = 'v1' } = autoscaler.spec.scaleTargetRef;
      this.#target = { kind, name, apiVersion, namespace: autoscaler.metadata.namespace ?? '' };
      this.status = { ...(autoscaler.status ?? { desiredReplicas: 0 }), conditions: [...(autoscaler.status?.conditions ?? [])] };
    }

    async run(): Promise<void> {
      let scale: Scale;
      try {
        ({ scale } = await scales.get(this.#target));
      } catch (error) {
        if (signal.aborted) throw error;
        recorder.event(this.autoscaler, 'Warning', 'FailedGetScale', messageOf(error));
        return this.#set('AbleToScale', 'False', 'FailedGetScale', `the HPA controller was unable to get the target's current scale: ${messageOf(error)}`);
      }
      this.#set('AbleToScale', 'True', 'SucceededGetScale', "the HPA controller was able to get the target's current scale");
      const current = scale.spec?.replicas ?? 0;
      /** Whoever has just begun to look does not know what was wanted before: the size that there is counts as that. */
      if (this.history.recommendations.length === 0) this.history.recommendations.push({ at: clock.monotonic(), replicas: current });
      const wanted = await this.#wanted(scale, current);
      if (!wanted) return;
      this.status = { ...this.status, currentReplicas: current, desiredReplicas: wanted.replicas, currentMetrics: wanted.metrics ?? [] };
      if (wanted.replicas !== current) await this.#rescale(scale, current, wanted);
    }

    async #wanted(scale: Scale, current: number): Promise<{ replicas: number; reason: string; metrics?: MetricStatus[] } | undefined> {
      const { minReplicas = 1, maxReplicas } = this.autoscaler.spec;
      if (current === 0 && minReplicas !== 0) {
        this.#set('ScalingActive', 'False', 'ScalingDisabled', 'scaling is disabled since the replica count of the target is zero');
        return { replicas: 0, reason: '' };
      }
      if (current > maxReplicas) return { replicas: maxReplicas, reason: 'Current number of replicas above Spec.MaxReplicas' };
      if (current < minReplicas) return { replicas: minReplicas, reason: 'Current number of replicas below Spec.MinReplicas' };
      const proposed = await this.#fromMetrics(scale, current);
      if (!proposed) return undefined;
      const limited = limitReplicas(this.autoscaler, this.history, { current, wanted: proposed.replicas, now: clock.monotonic(), downscaleStabilizationSeconds: downscaleStabilizationMs / 1000 });
      this.#set('AbleToScale', 'True', ...limited.ableToScale);
      this.#set('ScalingLimited', ...limited.scalingLimited);
      const reason = limited.replicas > current ? `${proposed.name} above target` : limited.replicas < current ? 'All metrics below target' : '';
      return { replicas: limited.replicas, reason, metrics: proposed.metrics };
    }

    async #fromMetrics(scale: Scale, current: number): Promise<{ replicas: number; name: string; metrics: MetricStatus[] } | undefined> {
      const selector = scale.status?.selector ?? '';
      if (selector === '') {
        recorder.event(this.autoscaler, 'Warning', 'SelectorRequired', 'selector is required');
        this.#set('ScalingActive', 'False', 'InvalidSelector', "the HPA target's scale is missing a selector");
        return undefined;
      }
      const matcher = parseLabelSelector(selector);
      const selected = pods.indexer.byIndex(NAMESPACE_INDEX, this.#target.namespace).filter((pod) => matcher.matches(pod.metadata.labels ?? {}));
      const specs = this.autoscaler.spec.metrics ?? [];
      const statuses: MetricStatus[] = [];
      const failures: MetricFailure[] = [];
      let best: { replicas: number; name: string } | undefined;
      for (const spec of specs) {
        try {
          const proposal = await proposalOf(spec, {
            autoscaler: this.autoscaler,
            metrics,
            pods: selected,
            selector,
            current,
            statusReplicas: scale.status?.replicas ?? 0,
            tolerance: this.#tolerance(),
            now: clock.now(),
            startUp: context.config.horizontalPodAutoscaler,
            describe: async ({ apiVersion = 'v1', kind, name }) => ({ apiVersion, name, resource: await resourceName(scales, { apiVersion, kind }) }),
          });
          statuses.push(proposal.status);
          if (!best || proposal.replicas > best.replicas) best = proposal;
        } catch (error) {
          if (!(error instanceof MetricFailure) || signal.aborted) throw error;
          failures.push(error);
        }
      }
      const [first] = failures;
      /** One metric that is missing must not make the size shrink. */
      if (first && (!best || best.replicas < current)) {
        for (const failure of failures) recorder.event(this.autoscaler, 'Warning', failure.reason, failure.message);
        this.#set('ScalingActive', 'False', first.reason, `the HPA was unable to compute the replica count: ${first.message}`);
        this.status = { ...this.status, currentReplicas: current, currentMetrics: statuses };
        recorder.event(this.autoscaler, 'Warning', 'FailedComputeMetricsReplicas', `invalid metrics (${failures.length} invalid out of ${specs.length}), first error is: ${first.message}`);
        return undefined;
      }
      if (!best) return undefined;
      this.#set('ScalingActive', 'True', 'ValidMetricFound', `the HPA was able to successfully calculate a replica count from ${best.name}`);
      return { ...best, metrics: statuses };
    }

    #tolerance(): { up: number; down: number } {
      const { up, down } = scalingRules(this.autoscaler);
      const of = (text: string | undefined): number => (text === undefined ? defaultTolerance : parseQuantity(text).toNumber());
      return { up: of(up.tolerance), down: of(down.tolerance) };
    }

    async #rescale(scale: Scale, current: number, { replicas, reason }: { replicas: number; reason: string }): Promise<void> {
      try {
        await scales.update(this.#target, { ...scale, spec: { ...scale.spec, replicas } });
      } catch (error) {
        if (signal.aborted) throw error;
        recorder.event(this.autoscaler, 'Warning', 'FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${messageOf(error)}`);
        this.#set('AbleToScale', 'False', 'FailedUpdateScale', `the HPA controller was unable to update the target scale: ${messageOf(error)}`);
        this.status = { ...this.status, desiredReplicas: current };
        return;
      }
      this.#set('AbleToScale', 'True', 'SucceededRescale', `the HPA controller was able to update the target scale to ${replicas}`);
      recorder.event(this.autoscaler, 'Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`);
      const now = clock.monotonic();
      this.history.events.push({ at: now, change: replicas - current });
      const { up, down } = scalingRules(this.autoscaler);
      const longest = Math.max(0, ...[...(up.policies ?? []), ...(down.policies ?? [])].map(({ periodSeconds }) => periodSeconds)) * 1000;
      while (this.history.events[0] && this.history.events[0].at < now - longest) this.history.events.shift();
      this.status = { ...this.status, lastScaleTime: formatTime(clock.now()) };
    }

    #set(type: string, status: string, reason: string, message: string): void {
      this.status = { ...this.status, conditions: withCondition(this.status.conditions ?? [], { type, status, lastTransitionTime: formatTime(clock.now()), reason, message }) };
    }
  }

  const { queue, run } = keyedLoop(context, 'horizontalpodautoscaler', WORKERS, reconcile);
  const enqueue = (autoscaler: HorizontalPodAutoscaler): void => queue.addAfter(keyOf(autoscaler), syncPeriodMs);
  autoscalers.addHandler({ onAdd: enqueue, onUpdate: (_, after) => enqueue(after), onDelete: (autoscaler) => queue.add(keyOf(autoscaler)) });
  return run;
}

/** A size of 0 and metrics that there are none of come back absent or as null: they must not look like a change. */
function withoutNothing(status: HorizontalPodAutoscalerStatus | undefined): object {
  const { currentReplicas, currentMetrics, ...rest } = status ?? { desiredReplicas: 0 };
  return { ...rest, ...(currentReplicas ? { currentReplicas } : {}), ...(currentMetrics && currentMetrics.length > 0 ? { currentMetrics } : {}) };
}

function withCondition(conditions: Conditions, next: HorizontalPodAutoscalerCondition): HorizontalPodAutoscalerCondition[] {
  const current = conditions.find((condition) => condition.type === next.type);
  if (!current) return [...conditions, next];
  const lastTransitionTime = current.status === next.status ? current.lastTransitionTime : next.lastTransitionTime;
  return conditions.map((condition) => (condition === current ? { ...next, lastTransitionTime } : condition));
}

async function resourceName(scales: ScaleClient, kind: { apiVersion: string; kind: string }): Promise<string> {
  const { plural, group } = await scales.resourceOf(kind);
  return group === '' ? plural : `${plural}.${group}`;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
