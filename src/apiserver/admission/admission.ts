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

export class AdmissionChain {
  constructor(private readonly plugins: readonly AdmissionPlugin[]) {}

  async admit(attributes: AdmissionAttributes): Promise<void> {
    await this.#admitOnce(attributes);
    const { reinvocation } = attributes;
    if (!reinvocation.wanted) return;
    reinvocation.isReinvoke = true;
    await this.#admitOnce(attributes);
  }

  async #admitOnce(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.plugins) {
      const pending = plugin.admit && this.#concerns(plugin, attributes) ? plugin.admit(attributes) : undefined;
      if (pending) await pending;
    }
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.plugins) {
      const pending = plugin.validate && this.#concerns(plugin, attributes) ? plugin.validate(attributes) : undefined;
      if (pending) await pending;
    }
  }

  #concerns(plugin: AdmissionPlugin, attributes: AdmissionAttributes): boolean {
    return plugin.operations.includes(attributes.operation) && (plugin.matches?.(attributes) ?? true);
  }
}
