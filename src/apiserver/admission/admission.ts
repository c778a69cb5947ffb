/**
 * Admission: the contract of a plugin, and the chain that runs the plugins. Every write passes the chain after
 * authorization: first the mutating plugins in upstream's order, then the validating ones. A plugin rejects a request by
 * throwing a StatusError, usually a 403.
 */
import type { GroupVersionKind } from '../../api/index.ts';
import type { Span } from '../../kernel/index.ts';
import type { GroupResource } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { AdmissionRecord } from '../request/admission-record.ts';
import type { UserInfo } from '../request/request.ts';
import type { AdmissionMetrics, AdmissionStep, AdmissionTiming } from './admission-metrics.ts';
import type { ReinvocationContext } from './reinvocation.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface AdmissionAttributes {
  readonly operation: Operation;
  readonly served: ServedResource;
  readonly groupResource: GroupResource;
  /** The kind of `object`: the resource's own, or that of the subresource. */
  readonly kind: GroupVersionKind;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty during mutating admission when the object has only a generateName. */
  readonly name: string;
  /** Mutating plugins change it in place. Absent on DELETE. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly user: UserInfo;
  /** Of the HTTP request: a patch is an UPDATE as well. */
  readonly method?: string;
  readonly dryRun: boolean;
  /** Of the request that is judged. */
  readonly span?: Span | undefined;
  /** Takes what admission does; a plugin that sets a field reports it here. */
  readonly record?: AdmissionRecord | undefined;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions of the request. */
  readonly options: KubeObject | undefined;
  readonly registry: Registry;
  readonly reinvocation: ReinvocationContext;
  /** Aborts when the client gives up. */
  readonly signal?: AbortSignal;
  warn(text: string): void;
  /** Adds an annotation to the request's audit event. */
  annotate(key: string, value: string): void;
  /** The request waited for somebody else: that is not this server's latency. */
  waitedFor?(ms: number): void;
  /** It has, e.g. for a webhook. */
  readonly hasWaited?: boolean;
}

export interface AdmissionPlugin {
  readonly name: string;
  readonly operations: readonly Operation[];
  /** A cheap check whether the plugin handles this request. */
  matches?(attributes: AdmissionAttributes): boolean;
  admit?(attributes: AdmissionAttributes): void | Promise<void>;
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
  /** Asked last of all, if the request has waited: what `admit` looked at may have changed meanwhile. */
  recheck?(attributes: AdmissionAttributes): void | Promise<void>;
}

const OPERATIONS: readonly Operation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

interface TimedPlugin {
  readonly plugin: AdmissionPlugin;
  readonly timing: AdmissionTiming | undefined;
}

/** One step of one operation: its plugins in their order. */
interface Step {
  readonly type: AdmissionStep;
  readonly plugins: readonly TimedPlugin[];
  readonly names: readonly string[];
  readonly timing: AdmissionTiming | undefined;
}

type Steps = Readonly<Record<Operation, Step>>;

/** A step that is being run for one request. */
interface StepRun {
  readonly step: Step;
  readonly attributes: AdmissionAttributes;
  readonly startedAt: number;
  pluginStartedAt: number;
  /** The run in the request's record. */
  readonly recorded: number;
}

/** Both steps return a promise only if a plugin does: most requests pass without waiting. */
export class AdmissionChain {
  readonly #admitting: Steps;
  readonly #validating: Steps;
  readonly #rechecking: readonly AdmissionPlugin[];
  readonly #metrics: AdmissionMetrics | undefined;

  constructor(plugins: readonly AdmissionPlugin[], metrics?: AdmissionMetrics) {
    this.#rechecking = plugins.filter(({ recheck }) => recheck);
    this.#metrics = metrics;
    const stepOf = (type: AdmissionStep, operation: Operation): Step => {
      const own = plugins.filter((plugin) => plugin[type] && plugin.operations.includes(operation));
      return {
        type,
        plugins: own.map((plugin) => ({ plugin, timing: metrics?.timing(plugin.name, type, operation) })),
        names: own.map(({ name }) => name),
        timing: metrics?.timing('', type, operation),
      };
    };
    const stepsOf = (type: AdmissionStep): Steps =>
      Object.fromEntries(OPERATIONS.map((operation) => [operation, stepOf(type, operation)])) as Record<
        Operation,
        Step
      >;
    this.#admitting = stepsOf('admit');
    this.#validating = stepsOf('validate');
  }

  admit(attributes: AdmissionAttributes): Promise<void> | undefined {
    const admitting = this.#run(this.#admitting, attributes);
    return admitting ? admitting.then(() => this.#reinvoke(attributes)) : this.#reinvoke(attributes);
  }

  validate(attributes: AdmissionAttributes): Promise<void> | undefined {
    const validating = this.#run(this.#validating, attributes);
    if (validating) return validating.then(() => this.#recheck(attributes));
    return attributes.hasWaited ? this.#recheck(attributes) : undefined;
  }

  async #recheck(attributes: AdmissionAttributes): Promise<void> {
    if (!attributes.hasWaited) return;
    for (const plugin of this.#rechecking)
      if (plugin.operations.includes(attributes.operation)) await plugin.recheck?.(attributes);
  }

  #reinvoke(attributes: AdmissionAttributes): Promise<void> | undefined {
    const { reinvocation } = attributes;
    if (!reinvocation.shouldReinvoke) return undefined;
    reinvocation.isReinvoke = true;
    return this.#run(this.#admitting, attributes);
  }

  #run(steps: Steps, attributes: AdmissionAttributes): Promise<void> | undefined {
    const startedAt = this.#metrics?.now() ?? 0;
    const step = steps[attributes.operation];
    const recorded = attributes.record?.began(step.type, step.names, startedAt) ?? -1;
    return runPlugins(0, { step, attributes, startedAt, pluginStartedAt: startedAt, recorded });
  }
}

function runPlugins(first: number, run: StepRun): Promise<void> | undefined {
  const { step, attributes } = run;
  const { record } = attributes;
  const { plugins, type } = step;
  for (let i = first; i < plugins.length; i++) {
    const { plugin, timing } = plugins[i]!;
    if (plugin.matches && !plugin.matches(attributes)) continue;
    if (record) record.plugin = plugin.name;
    let pending: Promise<void> | void;
    try {
      pending = type === 'admit' ? plugin.admit!(attributes) : plugin.validate!(attributes);
    } catch (error) {
      observeRejection(timing, run, i);
      throw error;
    }
    if (pending instanceof Promise) return runPluginsAfter(pending, timing, run, i + 1);
    if (timing) observePass(timing, run, i);
  }
  const endedAt = step.timing?.passed(run.startedAt);
  if (record && endedAt !== undefined) record.ended(run.recorded, endedAt);
  return undefined;
}

async function runPluginsAfter(
  pending: Promise<void>,
  timing: AdmissionTiming | undefined,
  run: StepRun,
  next: number,
): Promise<void> {
  try {
    await pending;
  } catch (error) {
    observeRejection(timing, run, next - 1);
    throw error;
  }
  if (timing) observePass(timing, run, next - 1);
  await runPlugins(next, run);
}

function observePass(timing: AdmissionTiming, run: StepRun, plugin: number): void {
  const now = timing.passed(run.pluginStartedAt);
  run.attributes.record?.passed(run.recorded, plugin, now - run.pluginStartedAt);
  run.pluginStartedAt = now;
}

function observeRejection(
  timing: AdmissionTiming | undefined,
  { step, attributes, pluginStartedAt, startedAt, recorded }: StepRun,
  plugin: number,
): void {
  const now = timing?.rejected(pluginStartedAt) ?? pluginStartedAt;
  attributes.record?.refused(recorded, plugin, now - pluginStartedAt);
  step.timing?.rejected(startedAt);
}
