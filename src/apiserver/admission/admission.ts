/**
 * Should we. Plugins see each write after authorization: first all that may change the object, in upstream's order,
 * then all that may only refuse it. A refusal is a StatusError, usually 403.
 */
import type { GroupVersionKind } from '../../api/index.ts';
import type { GroupResource } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { UserInfo } from '../request/request.ts';
import type { AdmissionMetrics, AdmissionStep, AdmissionTiming } from './admission-metrics.ts';
import type { Reinvocation } from './reinvocation.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface AdmissionAttributes {
  readonly operation: Operation;
  readonly served: ServedResource;
  readonly groupResource: GroupResource;
  /** The kind of `object`: the resource's own, or that of the subresource. */
  readonly kind: GroupVersionKind;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty while an object that has only a generateName has not got its name yet: that comes after mutating admission. */
  readonly name: string;
  /** Mutating plugins change it in place; absent on DELETE. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions of the request. */
  readonly options: KubeObject | undefined;
  readonly registry: Registry;
  /** Whether the mutating plugins run for the second time, and whether they should. */
  readonly reinvocation: Reinvocation;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
  warn(text: string): void;
  /** Adds to the request's audit event. */
  annotate(key: string, value: string): void;
}

export interface AdmissionPlugin {
  readonly name: string;
  readonly operations: readonly Operation[];
  /** Whether this request concerns the plugin at all; asked first, so that others cost nothing. */
  matches?(attributes: AdmissionAttributes): boolean;
  admit?(attributes: AdmissionAttributes): void | Promise<void>;
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
}

const OPERATIONS: readonly Operation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

interface Participant {
  readonly plugin: AdmissionPlugin;
  readonly timing: AdmissionTiming | undefined;
}

/** One step of one operation: the plugins that take part in it, in their order. */
interface Step {
  readonly type: AdmissionStep;
  readonly participants: readonly Participant[];
  readonly timing: AdmissionTiming | undefined;
}

type Steps = Readonly<Record<Operation, Step>>;

/** One run of a step on its way through the plugins. */
interface Progress {
  readonly step: Step;
  readonly attributes: AdmissionAttributes;
  readonly startedAt: number;
  since: number;
}

/** Both steps give a promise only when a plugin has to wait for something. */
export class AdmissionChain {
  readonly #admitting: Steps;
  readonly #validating: Steps;
  readonly #metrics: AdmissionMetrics | undefined;

  constructor(plugins: readonly AdmissionPlugin[], metrics?: AdmissionMetrics) {
    this.#metrics = metrics;
    const stepOf = (type: AdmissionStep, operation: Operation): Step => ({
      type,
      participants: plugins
        .filter((plugin) => plugin[type] && plugin.operations.includes(operation))
        .map((plugin) => ({ plugin, timing: metrics?.timing(plugin.name, type, operation) })),
      timing: metrics?.timing('', type, operation),
    });
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
    return admitting ? admitting.then(() => this.#admitAgain(attributes)) : this.#admitAgain(attributes);
  }

  validate(attributes: AdmissionAttributes): Promise<void> | undefined {
    return this.#run(this.#validating, attributes);
  }

  #admitAgain(attributes: AdmissionAttributes): Promise<void> | undefined {
    const { reinvocation } = attributes;
    if (!reinvocation.wanted) return undefined;
    reinvocation.isReinvoke = true;
    return this.#run(this.#admitting, attributes);
  }

  #run(steps: Steps, attributes: AdmissionAttributes): Promise<void> | undefined {
    const startedAt = this.#metrics?.now() ?? 0;
    return goOn(0, { step: steps[attributes.operation], attributes, startedAt, since: startedAt });
  }
}

function goOn(first: number, progress: Progress): Promise<void> | undefined {
  const { step, attributes } = progress;
  const { participants, type } = step;
  for (let i = first; i < participants.length; i++) {
    const participant = participants[i]!;
    const { plugin, timing } = participant;
    if (plugin.matches && !plugin.matches(attributes)) continue;
    let pending: Promise<void> | void;
    try {
      pending = type === 'admit' ? plugin.admit!(attributes) : plugin.validate!(attributes);
    } catch (error) {
      noteRefusal(participant, progress);
      throw error;
    }
    if (pending instanceof Promise) return goOnAfter(pending, participant, progress, i + 1);
    if (timing) progress.since = timing.passed(progress.since);
  }
  step.timing?.passed(progress.startedAt);
  return undefined;
}

async function goOnAfter(
  pending: Promise<void>,
  participant: Participant,
  progress: Progress,
  next: number,
): Promise<void> {
  try {
    await pending;
  } catch (error) {
    noteRefusal(participant, progress);
    throw error;
  }
  if (participant.timing) progress.since = participant.timing.passed(progress.since);
  await goOn(next, progress);
}

function noteRefusal({ timing }: Participant, { step, since, startedAt }: Progress): void {
  timing?.rejected(since);
  step.timing?.rejected(startedAt);
}
