/**
 * The served resources by path. Built-in resources are registered at start; custom resources come and go. Admission,
 * authorization and allocators find the cluster's objects through it.
 */
import { apiVersionOf, removedIn, type Resource, type Schema } from '../../api/index.ts';
import { KUBERNETES_MAJOR } from '../../api/kubernetes-version.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { CustomResourceApi } from '../../machinery/openapi/index.ts';
import { tablePrinter, type TablePrinter } from '../../machinery/table/index.ts';
import type { ViewConversion } from '../storage/entry.ts';
import { builtinPrefix } from '../storage/keys.ts';
import type { ResourceCache } from '../storage/resource-cache.ts';
import { conversions, otherVersions, storedAs } from './conversions.ts';
import type { ObjectStore } from './object-store.ts';
import { selectableFieldReader, type ServedResource, type StoredKind } from './served-resource.ts';
import { strategies } from './strategies/index.ts';
import type { Strategy } from './strategy.ts';

export class Registry {
  #served = new Map<string, ServedResource>();
  #changed = new Set<() => void>();
  /** Grows whenever a resource comes or goes: discovery and OpenAPI are rebuilt then. */
  generation = 0;

  constructor(readonly objects: ObjectStore) {}

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#served.get(`${group}/${version}/${plural}`);
  }

  /** A resource that the server itself relies on. */
  require(group: string, version: string, plural: string): ServedResource {
    const served = this.find(group, version, plural);
    if (!served) throw new Error(`the resource ${plural}.${version}.${group} is not served`);
    return served;
  }

  all(): ServedResource[] {
    return [...this.#served.values()];
  }

  hasGroupVersion(group: string, version: string): boolean {
    for (const served of this.#served.values()) if (served.group === group && served.version === version) return true;
    return false;
  }

  /** Whether the group consists of custom resources. */
  isCustomGroup(group: string): boolean {
    for (const served of this.#served.values()) if (served.group === group) return served.custom;
    return false;
  }

  add(served: ServedResource): void {
    this.#served.set(`${served.group}/${served.version}/${served.plural}`, served);
    this.#notify();
  }

  remove(served: ServedResource): void {
    if (this.#served.get(`${served.group}/${served.version}/${served.plural}`) !== served) return;
    this.#served.delete(`${served.group}/${served.version}/${served.plural}`);
    this.#notify();
  }

  /** Replaces resources as one change. */
  replaceAll(before: readonly ServedResource[], after: readonly ServedResource[]): void {
    for (const { group, version, plural } of before) this.#served.delete(`${group}/${version}/${plural}`);
    for (const served of after) this.#served.set(`${served.group}/${served.version}/${served.plural}`, served);
    this.#notify();
  }

  /** The custom resources as OpenAPI describes them. */
  customApis(): CustomResourceApi[] {
    return this.all().flatMap((served) => (served.openapi ? [served.openapi] : []));
  }

  onChange(listener: () => void): () => void {
    this.#changed.add(listener);
    return () => this.#changed.delete(listener);
  }

  #notify(): void {
    this.generation++;
    for (const listener of this.#changed) listener();
  }

  /** An object as the watch cache has it now. */
  lookup(group: string, version: string, plural: string, namespace: string, name: string): KubeObject | undefined {
    return this.find(group, version, plural)?.cache.get(namespace, name)?.object;
  }
}

/** Where each built-in kind is stored: versions that are views of the same objects share the place. */
export function builtinStoredKinds(schema: Schema): Map<Resource, StoredKind> {
  const kinds = new Map<Resource, StoredKind>();
  const byPrefix = new Map<string, StoredKind>();
  for (const resource of schema.resources) {
    if (!resource.verbs.includes('get')) continue;
    const storage = storedAs(schema, resource);
    const prefix = builtinPrefix(storage.group, storage.plural);
    let stored = byPrefix.get(prefix);
    if (!stored) {
      stored = {
        prefix,
        namespaced: storage.namespaced,
        apiVersion: apiVersionOf(storage),
        kind: storage.kind,
        fieldsOf: selectableFieldReader(storage),
      };
      byPrefix.set(prefix, stored);
    }
    kinds.set(resource, stored);
  }
  return kinds;
}

export function builtinServed(resource: Resource, stored: StoredKind, cache: ResourceCache): ServedResource {
  const conversion = conversions[`${apiVersionOf(resource)}/${resource.plural}`];
  const versions = otherVersions(resource);
  return {
    ...resource,
    groupResource: { group: resource.group, resource: resource.plural },
    strategy: strategyOf(resource),
    stored,
    cache,
    custom: false,
    ...(conversion ? { conversion } : {}),
    ...(conversion?.printed ? { printer: printerOfStored(resource, conversion.printed) } : {}),
    ...(versions ? { versions } : {}),
  };
}

function printerOfStored(resource: Resource, printed: ViewConversion): TablePrinter {
  const printer = tablePrinter(resource);
  return { ...printer, cells: (object, now) => printer.cells(printed(object), now) };
}

const NOTHING_PARTICULAR: Strategy = {};

function strategyOf(resource: Resource): Strategy {
  const strategy = strategies[`${resource.group}/${resource.plural}`] ?? NOTHING_PARTICULAR;
  return resource.deprecated ? { ...strategy, deprecation: deprecationOf(resource, resource.deprecated) } : strategy;
}

/** The first release that does not serve a deprecated version any more, `1.37`. */
export const removedRelease = (deprecated: NonNullable<Resource['deprecated']>): string =>
  `${KUBERNETES_MAJOR}.${removedIn(deprecated)}`;

function deprecationOf(resource: Resource, deprecated: NonNullable<Resource['deprecated']>): string {
  const { since, replacement } = deprecated;
  const removed = `v${removedRelease(deprecated)}+`;
  const use = replacement === undefined ? '' : `; use ${replacement}`;
  return `${apiVersionOf(resource)} ${resource.kind} is deprecated in v${since}+, unavailable in ${removed}${use}`;
}
