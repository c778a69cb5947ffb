/** Default requests and limits of containers from a LimitRange. An annotation on the pod lists the defaults that were set. */
import type { Container, LimitRangeItem } from '../../../api/generated/core-v1.ts';
import { defaultPodLevelResources } from '../../../machinery/defaulting/index.ts';
import { specOf, type PodObject } from '../request-objects.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';
/** The maximum size of all annotations of an object. */
const MAX_ANNOTATION = 256 * 1024;

interface Defaults {
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

/** Returns what was set. */
export function fillContainerDefaults(pod: PodObject, items: readonly LimitRangeItem[]): readonly string[] {
  const spec = specOf(pod);
  const defaults = defaultsIn(items);
  const filled: string[] = [];
  let length = 0;
  const fillAll = (containers: readonly Container[] | undefined, kind: string): void => {
    for (const container of containers ?? []) {
      // Validation rejects a longer annotation. Stop here: many containers times many defaults could exhaust memory.
      if (length > MAX_ANNOTATION) return;
      for (const text of fill(container, defaults, kind)) {
        filled.push(text);
        length += text.length;
      }
    }
  };
  fillAll(spec.containers, 'container');
  fillAll(spec.initContainers, 'init container');
  if (filled.length === 0) return filled;
  // Pod-level requests include the new requests of the containers.
  if (spec.resources) spec.resources = defaultPodLevelResources(spec, spec.resources);
  (pod.metadata.annotations ??= {})[ANNOTATION] = `LimitRanger plugin set: ${filled.join('; ')}`;
  return filled;
}

function defaultsIn(items: readonly LimitRangeItem[]): Defaults {
  const containerItems = items.filter(({ type }) => type === 'Container');
  return {
    requests: Object.assign({}, ...containerItems.map((item) => item.defaultRequest)) as Defaults['requests'],
    limits: Object.assign({}, ...containerItems.map((item) => item.default)) as Defaults['limits'],
  };
}

function fill(container: Container, defaults: Defaults, kind: string): string[] {
  const filled: string[] = [];
  for (const part of ['requests', 'limits'] as const) {
    const given = container.resources?.[part];
    const missing = Object.keys(defaults[part])
      .filter((name) => given?.[name] === undefined)
      .sort();
    if (missing.length === 0) continue;
    const resources = (container.resources ??= {});
    resources[part] = { ...given, ...Object.fromEntries(missing.map((name) => [name, defaults[part][name]!])) };
    filled.push(`${missing.join(', ')} ${part === 'requests' ? 'request' : 'limit'} for ${kind} ${container.name}`);
  }
  return filled;
}
