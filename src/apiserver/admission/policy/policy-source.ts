/** Lists policies with their bindings. Each policy is compiled once per resourceVersion. */
import type { KubeObject } from '../../../machinery/index.ts';
import type { Registry } from '../../registry/registry.ts';
import { derivedFrom } from '../derived.ts';

export interface BoundPolicy<Compiled, Binding> {
  readonly name: string;
  readonly compiled: Compiled;
  readonly bindings: readonly Binding[];
}

interface PolicyKind<Compiled, Binding> {
  readonly policies: string;
  readonly bindings: string;
  compile(policy: KubeObject): Compiled;
  bind(binding: KubeObject): Binding;
}

/** In the order of the policies' names. Policies without a binding are left out. */
export function policySource<Compiled, Binding>(
  registry: Registry,
  kind: PolicyKind<Compiled, Binding>,
): () => readonly BoundPolicy<Compiled, Binding>[] {
  const policies = registry.require('admissionregistration.k8s.io', 'v1', kind.policies);
  const bindings = registry.require('admissionregistration.k8s.io', 'v1', kind.bindings);
  const cache = new Map<string, { readonly version: string; readonly compiled: Compiled }>();

  const boundTo = derivedFrom(bindings, () => {
    const bound = new Map<string, Binding[]>();
    for (const { object } of bindings.cache.list()) {
      const { policyName } = object['spec'] as { readonly policyName: string };
      bound.set(policyName, [...(bound.get(policyName) ?? []), kind.bind(object)]);
    }
    return bound;
  });

  const compiledOf = (name: string, policy: KubeObject): Compiled => {
    const version = policy.metadata.resourceVersion ?? '';
    let entry = cache.get(name);
    if (entry?.version !== version) cache.set(name, (entry = { version, compiled: kind.compile(policy) }));
    return entry.compiled;
  };

  let last:
    | { readonly bound: unknown; readonly revision: number; readonly value: readonly BoundPolicy<Compiled, Binding>[] }
    | undefined;
  let revision = 0;
  policies.cache.watch({ scope: '', deliver: () => revision++ });
  return () => {
    const bound = boundTo();
    if (last?.bound === bound && last.revision === revision) return last.value;
    const value: BoundPolicy<Compiled, Binding>[] = [];
    for (const { name, object } of policies.cache.list()) {
      const policyBindings = bound.get(name);
      if (policyBindings) value.push({ name, compiled: compiledOf(name, object), bindings: policyBindings });
    }
    for (const name of cache.keys()) if (!policies.cache.get('', name)) cache.delete(name);
    last = { bound, revision, value };
    return value;
  };
}
