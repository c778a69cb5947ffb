/** The messages of the events of a resize: the resources as JSON, as upstream's kubelet writes them. */
import type { Container, Pod, ResourceRequirements } from '../../api/generated/core-v1.ts';

interface ResizeDetails {
  /** Of the pod when the resize was allocated. */
  readonly generation: number;
  readonly error?: string | undefined;
}

export function resizeMessage(what: string, { spec }: Pod, { generation, error }: ResizeDetails): string {
  const summary = {
    ...(spec?.initContainers?.length ? { initContainers: spec.initContainers.map(allocation) } : {}),
    ...(spec?.containers.length ? { containers: spec.containers.map(allocation) } : {}),
    generation,
    ...(error ? { error } : {}),
  };
  return `Pod resize ${what}: ${JSON.stringify(summary)}`;
}

function allocation({ name, resources = {} }: Container): object {
  const { limits, requests, claims } = resources;
  return {
    name,
    resources: {
      ...(Object.keys(limits ?? {}).length > 0 ? { limits: sorted(limits) } : {}),
      ...(Object.keys(requests ?? {}).length > 0 ? { requests: sorted(requests) } : {}),
      ...(claims?.length ? { claims } : {}),
    },
  };
}

const sorted = (list: ResourceRequirements['limits']): object =>
  Object.fromEntries(Object.entries(list ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)));
