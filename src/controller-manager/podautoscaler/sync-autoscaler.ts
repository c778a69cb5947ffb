/** One sync of one HorizontalPodAutoscaler: reads the scale and the metrics, and scales the target. */
import type { Scale } from '../../api/generated/autoscaling-v1.ts';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from '../../api/generated/autoscaling-v2.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { errorMessage, formatTime, parseQuantity } from '../../base/index.ts';
import { NAMESPACE_INDEX, type SharedInformer } from '../../client/index.ts';
import { parseLabelSelector } from '../../machinery/selectors/index.ts';
import type { ControllerContext } from '../controller.ts';
import type { ScaleClient, ScaleTarget } from '../scale-client.ts';
import { MetricFailure, proposalOf, type MetricContext, type MetricProposal } from './compute-replicas.ts';
import type { DescribedObject, MetricsClient } from './metrics-client.ts';
import type { Tolerance } from './replica-calculator.ts';
import { limitReplicas, scalingRules, type ScalingHistory } from './scaling-behavior.ts';

interface AutoscalerSyncOptions {
  readonly context: ControllerContext;
  readonly pods: SharedInformer<Pod>;
  readonly scales: ScaleClient;
  readonly metrics: MetricsClient;
  readonly autoscaler: HorizontalPodAutoscaler;
  /** Kept between syncs. */
  readonly history: ScalingHistory;
}

interface WantedReplicas {
  readonly replicas: number;
  readonly reason: string;
  readonly metrics?: MetricStatus[];
}

interface Proposals {
  /** The proposal of the most replicas. */
  readonly best: MetricProposal | undefined;
  readonly metrics: MetricStatus[];
  readonly failures: readonly MetricFailure[];
}

export class AutoscalerSync {
  /** The status to write. */
  status: HorizontalPodAutoscalerStatus;
  readonly #options: AutoscalerSyncOptions;
  readonly #target: ScaleTarget;

  constructor(options: AutoscalerSyncOptions) {
    const { spec, metadata, status } = options.autoscaler;
    const { kind, name, apiVersion = 'v1' } = spec.scaleTargetRef;
    this.#options = options;
    this.#target = { kind, name, apiVersion, namespace: metadata.namespace ?? '' };
    this.status = { ...(status ?? { desiredReplicas: 0 }), conditions: [...(status?.conditions ?? [])] };
  }

  async run(): Promise<void> {
    const { context, history, scales } = this.#options;
    let scale: Scale;
    try {
      ({ scale } = await scales.get(this.#target));
    } catch (error) {
      if (context.signal.aborted) throw error;
      this.#warn('FailedGetScale', errorMessage(error));
      const message = `the HPA controller was unable to get the target's current scale: ${errorMessage(error)}`;
      return this.#setCondition('AbleToScale', 'False', 'FailedGetScale', message);
    }
    const message = "the HPA controller was able to get the target's current scale";
    this.#setCondition('AbleToScale', 'True', 'SucceededGetScale', message);
    const current = scale.spec?.replicas ?? 0;
    // After a start of the controller, the current size is the first recommendation.
    const { recommendations } = history;
    if (recommendations.length === 0) recommendations.push({ at: context.clock.monotonic(), replicas: current });
    const wanted = await this.#wantedReplicas(scale, current);
    if (!wanted) return;
    const { replicas, metrics = [] } = wanted;
    this.status = { ...this.status, currentReplicas: current, desiredReplicas: replicas, currentMetrics: metrics };
    if (replicas !== current) await this.#rescale(scale, current, wanted);
  }

  async #wantedReplicas(scale: Scale, current: number): Promise<WantedReplicas | undefined> {
    const { context, autoscaler, history } = this.#options;
    const { minReplicas = 1, maxReplicas } = autoscaler.spec;
    if (current === 0 && minReplicas !== 0) {
      const message = 'scaling is disabled since the replica count of the target is zero';
      this.#setCondition('ScalingActive', 'False', 'ScalingDisabled', message);
      return { replicas: 0, reason: '' };
    }
    if (current > maxReplicas) {
      return { replicas: maxReplicas, reason: 'Current number of replicas above Spec.MaxReplicas' };
    }
    if (current < minReplicas) {
      return { replicas: minReplicas, reason: 'Current number of replicas below Spec.MinReplicas' };
    }
    const proposed = await this.#proposedReplicas(scale, current);
    if (!proposed) return undefined;
    const limited = limitReplicas(autoscaler, history, {
      current,
      wanted: proposed.replicas,
      now: context.clock.monotonic(),
      downscaleStabilizationSeconds: context.config.horizontalPodAutoscaler.downscaleStabilizationMs / 1000,
    });
    this.#setCondition('AbleToScale', 'True', ...limited.ableToScale);
    this.#setCondition('ScalingLimited', ...limited.scalingLimited);
    const { replicas } = limited;
    let reason = '';
    if (replicas > current) reason = `${proposed.name} above target`;
    if (replicas < current) reason = 'All metrics below target';
    return { replicas, reason, metrics: proposed.metrics };
  }

  /** The proposal of the metrics; undefined, with a condition, when they do not allow a decision. */
  async #proposedReplicas(
    scale: Scale,
    current: number,
  ): Promise<{ replicas: number; name: string; metrics: MetricStatus[] } | undefined> {
    const selector = scale.status?.selector ?? '';
    if (selector === '') {
      this.#warn('SelectorRequired', 'selector is required');
      const message = "the HPA target's scale is missing a selector";
      this.#setCondition('ScalingActive', 'False', 'InvalidSelector', message);
      return undefined;
    }
    const { best, metrics, failures } = await this.#proposals(scale, current, selector);
    // A missing metric must not scale down the target.
    if (failures.length > 0 && (!best || best.replicas < current)) {
      this.#reportFailures(failures);
      this.status = { ...this.status, currentReplicas: current, currentMetrics: metrics };
      return undefined;
    }
    if (!best) return undefined;
    const message = `the HPA was able to successfully calculate a replica count from ${best.name}`;
    this.#setCondition('ScalingActive', 'True', 'ValidMetricFound', message);
    return { ...best, metrics };
  }

  async #proposals(scale: Scale, current: number, selector: string): Promise<Proposals> {
    const { context, autoscaler } = this.#options;
    const forMetrics = this.#metricContext(scale, current, selector);
    const metrics: MetricStatus[] = [];
    const failures: MetricFailure[] = [];
    let best: MetricProposal | undefined;
    for (const spec of autoscaler.spec.metrics ?? []) {
      try {
        const proposal = await proposalOf(spec, { ...forMetrics, now: context.clock.now() });
        metrics.push(proposal.status);
        if (!best || proposal.replicas > best.replicas) best = proposal;
      } catch (error) {
        if (!(error instanceof MetricFailure) || context.signal.aborted) throw error;
        failures.push(error);
      }
    }
    return { best, metrics, failures };
  }

  #metricContext(scale: Scale, current: number, selector: string): Omit<MetricContext, 'now'> {
    const { context, autoscaler, pods, scales, metrics } = this.#options;
    const matcher = parseLabelSelector(selector);
    return {
      autoscaler,
      metrics,
      pods: pods.indexer
        .byIndex(NAMESPACE_INDEX, this.#target.namespace)
        .filter((pod) => matcher.matches(pod.metadata.labels ?? {})),
      selector,
      current,
      statusReplicas: scale.status?.replicas ?? 0,
      tolerance: this.#tolerance(),
      startUp: context.config.horizontalPodAutoscaler,
      describe: (reference) => described(scales, reference),
    };
  }

  #reportFailures(failures: readonly MetricFailure[]): void {
    const [first] = failures;
    if (!first) return;
    for (const { reason, message } of failures) this.#warn(reason, message);
    const message = `the HPA was unable to compute the replica count: ${first.message}`;
    this.#setCondition('ScalingActive', 'False', first.reason, message);
    const count = this.#options.autoscaler.spec.metrics?.length ?? 0;
    const invalid = `invalid metrics (${failures.length} invalid out of ${count}), first error is: ${first.message}`;
    this.#warn('FailedComputeMetricsReplicas', invalid);
  }

  #tolerance(): Tolerance {
    const { context, autoscaler } = this.#options;
    const { up, down } = scalingRules(autoscaler);
    const of = (text: string | undefined): number =>
      text === undefined ? context.config.horizontalPodAutoscaler.tolerance : parseQuantity(text).toNumber();
    return { up: of(up.tolerance), down: of(down.tolerance) };
  }

  async #rescale(scale: Scale, current: number, { replicas, reason }: WantedReplicas): Promise<void> {
    const { context, autoscaler, history, scales } = this.#options;
    try {
      await scales.update(this.#target, { ...scale, spec: { ...scale.spec, replicas } });
    } catch (error) {
      if (context.signal.aborted) throw error;
      this.#warn('FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${errorMessage(error)}`);
      const message = `the HPA controller was unable to update the target scale: ${errorMessage(error)}`;
      this.#setCondition('AbleToScale', 'False', 'FailedUpdateScale', message);
      this.status = { ...this.status, desiredReplicas: current };
      return;
    }
    const message = `the HPA controller was able to update the target scale to ${replicas}`;
    this.#setCondition('AbleToScale', 'True', 'SucceededRescale', message);
    context.recorder.event(autoscaler, 'Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`);
    const now = context.clock.monotonic();
    history.events.push({ at: now, change: replicas - current });
    const { up, down } = scalingRules(autoscaler);
    const periods = [...(up.policies ?? []), ...(down.policies ?? [])].map(({ periodSeconds }) => periodSeconds);
    const longest = Math.max(0, ...periods) * 1000;
    while (history.events[0] && history.events[0].at < now - longest) history.events.shift();
    this.status = { ...this.status, lastScaleTime: formatTime(context.clock.now()) };
  }

  #warn(reason: string, message: string): void {
    this.#options.context.recorder.event(this.#options.autoscaler, 'Warning', reason, message);
  }

  #setCondition(type: string, status: string, reason: string, message: string): void {
    const lastTransitionTime = formatTime(this.#options.context.clock.now());
    const next = { type, status, lastTransitionTime, reason, message };
    this.status = { ...this.status, conditions: withCondition(this.status.conditions ?? [], next) };
  }
}

type Condition = HorizontalPodAutoscalerCondition;

function withCondition(conditions: readonly Condition[], next: Condition): Condition[] {
  const current = conditions.find((condition) => condition.type === next.type);
  if (!current) return [...conditions, next];
  const lastTransitionTime = current.status === next.status ? current.lastTransitionTime : next.lastTransitionTime;
  return conditions.map((condition) => (condition === current ? { ...next, lastTransitionTime } : condition));
}

async function described(
  scales: ScaleClient,
  { apiVersion = 'v1', kind, name }: { apiVersion?: string; kind: string; name: string },
): Promise<DescribedObject> {
  const { plural, group } = await scales.resourceOf({ apiVersion, kind });
  return { apiVersion, name, resource: group === '' ? plural : `${plural}.${group}` };
}
