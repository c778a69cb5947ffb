/** Pod constraints of ResourceQuota: under a quota on cpu or memory, every container must set the request or limit. */
import type { Container, Pod } from '../../../api/generated/core-v1.ts';
import { hasPodLevelResources } from '../../../component-helpers/index.ts';

/** The container field that each resource name of a quota requires. */
const REQUIRED_FIELDS: ReadonlyMap<string, readonly ['requests' | 'limits', 'cpu' | 'memory']> = new Map(
  Object.entries<readonly ['requests' | 'limits', 'cpu' | 'memory']>({
    cpu: ['requests', 'cpu'],
    memory: ['requests', 'memory'],
    'requests.cpu': ['requests', 'cpu'],
    'requests.memory': ['requests', 'memory'],
    'limits.cpu': ['limits', 'cpu'],
    'limits.memory': ['limits', 'memory'],
  }),
);

/** `limits.cpu for: a,b; requests.cpu for: b`, or undefined when nothing is missing. */
export function missingPodResources({ spec }: Pod, names: readonly string[]): string | undefined {
  if (!spec || hasPodLevelResources(spec)) return undefined;
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const missing: string[] = [];
  for (const name of names) {
    const field = REQUIRED_FIELDS.get(name);
    if (!field) continue;
    const without = containers.filter((container) => lacks(container, field)).map((container) => container.name);
    if (without.length > 0) missing.push(`${name} for: ${without.sort().join(',')}`);
  }
  return missing.length > 0 ? missing.sort().join('; ') : undefined;
}

const lacks = ({ resources }: Container, [field, name]: readonly ['requests' | 'limits', 'cpu' | 'memory']): boolean =>
  resources?.[field]?.[name] === undefined;
