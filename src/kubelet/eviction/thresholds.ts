/** Eviction signals and thresholds: parses the configured thresholds, and tells which ones observations meet. */
import { parseDuration } from '../../base/index.ts';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts';
import { threshold } from '../node/capacity.ts';

export const SIGNALS = {
  'memory.available': { resource: 'memory', condition: 'MemoryPressure' },
  /** What is left of the memory limit of the kubepods cgroup. */
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
  /** 0 for hard thresholds. */
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
  // With node allocatable enforcement, pods run out of allocatable memory before the node runs out of memory.
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
  // Once met, a threshold is resolved only when the minimum reclaim is available, too.
  return observed.available < limit + (reclaiming ? threshold(minimumReclaim, observed.capacity) : 0);
}
