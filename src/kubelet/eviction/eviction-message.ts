/** The message and annotations of an Evicted event, as upstream has them. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { ownValue, parseQuantity, Quantity } from '../../base/index.ts';
import { threshold as thresholdAmount } from '../node/capacity.ts';
import type { ContainerSummary, PodSummary } from '../server/stats/summary-types.ts';
import { SIGNALS, type Observations, type Threshold } from './thresholds.ts';

export interface EvictionReason {
  readonly message: string;
  readonly annotations: Record<string, string>;
}

export function evictionReason(
  threshold: Threshold,
  observations: Observations,
  pod: Pod,
  summary: PodSummary | undefined,
): EvictionReason {
  const { resource } = SIGNALS[threshold.signal];
  const observed = observations[threshold.signal];
  let message = `The node was low on resource: ${resource}. `;
  if (observed !== undefined) {
    const wanted = threshold.value.endsWith('%')
      ? amountOf(thresholdAmount(threshold.value, observed.capacity), 'memory')
      : parseQuantity(threshold.value);
    message += `Threshold quantity: ${wanted.toString()}, available: ${amountOf(observed.available, resource).toString()}. `;
  }
  const offenders: string[] = [];
  const usages: string[] = [];
  const declared = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  for (const container of summary?.containers ?? []) {
    const used = usageOf(container, resource);
    const spec = declared.find(({ name }) => name === container.name);
    if (used === undefined || spec === undefined) continue;
    const request = parseQuantity(ownValue(spec.resources?.requests, resource) ?? '0');
    const usage = amountOf(used, resource);
    if (usage.cmp(request) <= 0) continue;
    message += `Container ${container.name} was using ${usage.toString()}, request is ${request.toString()}, has larger consumption of ${resource}. `;
    offenders.push(container.name);
    usages.push(usage.toString());
  }
  return {
    message,
    annotations:
      summary === undefined
        ? {}
        : {
            offending_containers: offenders.join(),
            offending_containers_usage: usages.join(),
            starved_resource: resource,
          },
  };
}

function usageOf({ memory, rootfs, logs }: ContainerSummary, resource: string): number | undefined {
  if (resource === 'memory') return memory?.workingSetBytes;
  if (resource !== 'ephemeral-storage' || rootfs?.usedBytes === undefined || logs?.usedBytes === undefined)
    return undefined;
  return rootfs.usedBytes + logs.usedBytes;
}

const amountOf = (amount: number, resource: string): Quantity =>
  Quantity.of(amount, resource === 'memory' || resource === 'ephemeral-storage' ? 'BinarySI' : 'DecimalSI');
