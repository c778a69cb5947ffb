/** Eviction thresholds: what the configuration says, and which of them a set of observations meets. */
import { parseDuration } from '../../base/index.ts';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts';
import { threshold } from '../node/capacity.ts';

export const SIGNALS = {
  'memory.available': { resource: 'memory', condition: 'MemoryPressure' },
  /** What all pods together may still use of what is theirs. */
  'allocatableMemory.available': { resource: 'memory', condition: 'MemoryPressure' },
  'nodefs.available': { resource: 'ephemeral-storage', condition: 'DiskPressure' },
  'nodefs.inodesFree': { resource: 'inodes', condition: 'DiskPressure' },
  'imagefs.available': { resource: 'ephemeral-storage', condition: 'DiskPressure' },
  'imagefs.inodesFree': { resource: 'inodes', condition: 'DiskPressure' },
  'containerfs.available': { resource: 'ephemeral-storage', condition: 'DiskPressure' },
  'containerfs.inodesFree': { resource: 'inodes', condition: 'DiskPressure' },
  'pid.available': { resource: 'pids', condition: 'PIDPressure' },
} as const;

export type Signal = keyof typeof SIGNALS;

export interface Observation {
  readonly available: number;
  readonly capacity: number;
}

export type Observations = Partial<Record<Signal, Observation>>;

export interface Threshold {
  readonly signal: Signal;
  /** `100Mi` or `10%`. */
  readonly value: string;
  /** 0 for hard ones. */
  readonly graceMs: number;
  readonly hard: boolean;
  readonly minimumReclaim: string | undefined;
}

export function thresholdsOf(config: KubeletConfiguration): Threshold[] {
  const isSignal = (name: string): name is Signal => Object.hasOwn(SIGNALS, name);
  const unknown = [...Object.keys(config.evictionHard), ...Object.keys(config.evictionSoft)].find(
    (name) => !isSignal(name),
  );
  if (unknown !== undefined) throw new Error(`unknown eviction signal ${unknown}`);
  const make = (hard: boolean, entries: Readonly<Record<string, string>>): Threshold[] =>
    Object.entries(entries).flatMap(([signal, value]) =>
      isSignal(signal)
        ? [
            {
              signal,
              value,
              hard,
              graceMs: hard ? 0 : parseDuration(config.evictionSoftGracePeriod[signal] ?? '0'),
              minimumReclaim: config.evictionMinimumReclaim[signal],
            },
          ]
        : [],
    );
  const configured = [...make(true, config.evictionHard), ...make(false, config.evictionSoft)];
  if (!config.enforceNodeAllocatable.includes('pods')) return configured;
  // Pods that are held to the node's allocatable run out of it before the node does.
  const memory = configured.filter(({ signal, hard }) => signal === 'memory.available' && hard);
  return [
    ...memory.map((threshold) => ({ ...threshold, signal: 'allocatableMemory.available' as const })),
    ...configured,
  ];
}

export function isMet(
  { signal, value, minimumReclaim }: Threshold,
  observations: Observations,
  { reclaiming }: { readonly reclaiming: boolean },
): boolean {
  const observed = observations[signal];
  if (observed === undefined) return false;
  const limit = threshold(value, observed.capacity);
  // Once met it is over only when the minimum to reclaim is free on top.
  return observed.available < limit + (reclaiming ? threshold(minimumReclaim, observed.capacity) : 0);
}
