/** The resources that containers get from a LimitRange when they name none; an annotation on the pod says which. */
import type { Container, LimitRangeItem } from '../../../api/generated/core-v1.ts';
import { defaultPodLevelResources } from '../../../machinery/defaulting/core-pod-resources.ts';
import { specOf, type PodObject } from '../kinds.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';

interface Defaults {
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

export function fillContainerDefaults(pod: PodObject, items: readonly LimitRangeItem[]): void {
  const spec = specOf(pod);
  const defaults = defaultsIn(items);
  const filled = [
    ...(spec.containers ?? []).flatMap((container) => fill(container, defaults, 'container')),
    ...(spec.initContainers ?? []).flatMap((container) => fill(container, defaults, 'init container')),
  ];
  if (filled.length === 0) return;
  // What the pod as a whole asks for includes what its containers now ask for.
  if (spec.resources) spec.resources = defaultPodLevelResources(spec, spec.resources);
  (pod.metadata.annotations ??= {})[ANNOTATION] = `LimitRanger plugin set: ${filled.join('; ')}`;
}

function defaultsIn(items: readonly LimitRangeItem[]): Defaults {
  const ofContainers = items.filter(({ type }) => type === 'Container');
  return {
    requests: Object.assign({}, ...ofContainers.map((item) => item.defaultRequest)) as Defaults['requests'],
    limits: Object.assign({}, ...ofContainers.map((item) => item.default)) as Defaults['limits'],
  };
}

function fill(container: Container, defaults: Defaults, kind: string): string[] {
  const filled: string[] = [];
  for (const part of ['requests', 'limits'] as const) {
    const given = container.resources?.[part];
    const missing = Object.keys(defaults[part]).filter((name) => given?.[name] === undefined).sort();
    if (missing.length === 0) continue;
    const resources = (container.resources ??= {});
    resources[part] = { ...given, ...Object.fromEntries(missing.map((name) => [name, defaults[part][name]!])) };
    filled.push(`${missing.join(', ')} ${part === 'requests' ? 'request' : 'limit'} for ${kind} ${container.name}`);
  }
  return filled;
}
