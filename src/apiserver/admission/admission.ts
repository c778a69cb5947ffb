/**
 * Should we. Plugins see each write after authorization: first all that may change the object, in upstream's order,
 * then all that may only refuse it. A refusal is a StatusError, usually 403.
 */
import type { GroupVersionKind } from '../../api/schema.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { GroupResource } from '../../machinery/status.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { UserInfo } from '../request.ts';
import type { AdmissionMetrics, AdmissionStep } from './admission-metrics.ts';
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

/** The plugins of one step that take part in an operation, in their order. */
type Step = Readonly<Record<Operation, readonly AdmissionPlugin[]>>;

/** One run of one step on its way through the plugins. */
interface Progress {
  readonly type: AdmissionStep;
  readonly attributes: AdmissionAttributes;
  readonly startedAt: number;
  since: number;
}

/** Both steps give a promise only when a plugin has to wait for something. */
export class AdmissionChain {
  readonly #steps: Readonly<Record<AdmissionStep, Step>>;

  constructor(
    plugins: readonly AdmissionPlugin[],
    private readonly metrics?: AdmissionMetrics,
  ) {
    const step = (type: AdmissionStep): Step =>
      Object.fromEntries(OPERATIONS.map((operation) => [operation, plugins.filter((plugin) => plugin[type] && plugin.operations.includes(operation))])) as Record<Operation, AdmissionPlugin[]>;
    this.#steps = { admit: step('admit'), validate: step('validate') };
  }

  admit(attributes: AdmissionAttributes): Promise<void> | undefined {
    const admitting = this.#run('admit', attributes);
    return admitting instanceof Promise ? admitting.then(() => this.#admitAgain(attributes)) : this.#admitAgain(attributes);
  }

  validate(attributes: AdmissionAttributes): Promise<void> | undefined {
    return this.#run('validate', attributes);
  }

  #admitAgain(attributes: AdmissionAttributes): Promise<void> | undefined {
    const { reinvocation } = attributes;
    if (!reinvocation.wanted) return undefined;
    reinvocation.isReinvoke = true;
    return this.#run('admit', attributes);
  }

  #run(type: AdmissionStep, attributes: AdmissionAttributes): Promise<void> | undefined {
    const startedAt = this.metrics?.now() ?? 0;
    return this.#from(0, { type, attributes, startedAt, since: startedAt });
  }

  #from(first: number, progress: Progress): Promise<void> | undefined {
    const { type, attributes } = progress;
    const plugins = this.#steps[type][attributes.operation];
    for (let i = first; i < plugins.length; i++) {
      const plugin = plugins[i]!;
      if (plugin.matches && !plugin.matches(attributes)) continue;
      let pending: Promise<void> | void;
      try {
        pending = plugin[type]!(attributes);
      } catch (error) {
        this.#refused(plugin, progress);
        throw error;
      }
      if (pending instanceof Promise) return this.#after(pending, plugin, progress, i + 1);
      this.#passed(plugin, progress);
    }
    this.metrics?.observe('', type, attributes.operation, { since: progress.startedAt, rejected: false });
    return undefined;
  }

  async #after(pending: Promise<void>, plugin: AdmissionPlugin, progress: Progress, next: number): Promise<void> {
    try {
      await pending;
    } catch (error) {
      this.#refused(plugin, progress);
      throw error;
    }
    this.#passed(plugin, progress);
    await this.#from(next, progress);
  }

  #passed({ name }: AdmissionPlugin, progress: Progress): void {
    if (this.metrics) progress.since = this.metrics.observe(name, progress.type, progress.attributes.operation, { since: progress.since, rejected: false });
  }

  #refused({ name }: AdmissionPlugin, { type, attributes, since, startedAt }: Progress): void {
    this.metrics?.observe(name, type, attributes.operation, { since, rejected: true });
    this.metrics?.observe('', type, attributes.operation, { since: startedAt, rejected: true });
  }
}
