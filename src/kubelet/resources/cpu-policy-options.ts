/** The options of the static CPU manager policy, their feature levels, and which exclude each other. */
import { goBoolError, parseGoBool } from '../../base/index.ts';

export interface CpuPolicyOptions {
  /** full-pcpus-only: allocate whole cores only. */
  readonly fullCoresOnly: boolean;
  /** distribute-cpus-across-numa: allocate evenly from several NUMA nodes. */
  readonly acrossNuma: boolean;
  /** align-by-socket: align to sockets instead of NUMA nodes. */
  readonly alignBySocket: boolean;
  /** distribute-cpus-across-cores: prefer threads of different cores. */
  readonly acrossCores: boolean;
  /** strict-cpu-reservation: the shared pool excludes reserved CPUs. */
  readonly strictReservation: boolean;
  /** prefer-align-cpus-by-uncorecache: use as few last-level caches as possible. */
  readonly byUncoreCache: boolean;
}

type Level = 'Alpha' | 'Beta' | 'Stable';

const OPTIONS: ReadonlyMap<string, { readonly level: Level; readonly field: keyof CpuPolicyOptions }> = new Map(
  Object.entries<{ readonly level: Level; readonly field: keyof CpuPolicyOptions }>({
    'full-pcpus-only': { level: 'Stable', field: 'fullCoresOnly' },
    'distribute-cpus-across-numa': { level: 'Beta', field: 'acrossNuma' },
    'align-by-socket': { level: 'Alpha', field: 'alignBySocket' },
    'distribute-cpus-across-cores': { level: 'Alpha', field: 'acrossCores' },
    'strict-cpu-reservation': { level: 'Stable', field: 'strictReservation' },
    'prefer-align-cpus-by-uncorecache': { level: 'Beta', field: 'byUncoreCache' },
  }),
);

const EXCLUSIVE = [
  ['full-pcpus-only', 'distribute-cpus-across-cores'],
  ['distribute-cpus-across-numa', 'distribute-cpus-across-cores'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-cores'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-numa'],
] as const;

export const NO_CPU_POLICY_OPTIONS: CpuPolicyOptions = {
  fullCoresOnly: false,
  acrossNuma: false,
  alignBySocket: false,
  acrossCores: false,
  strictReservation: false,
  byUncoreCache: false,
};

/** Throws with upstream's messages for unknown, disabled or conflicting options. */
export function parseCpuPolicyOptions(
  given: Readonly<Record<string, string>>,
  featureGates: Readonly<Record<string, boolean>>,
): CpuPolicyOptions {
  const on = new Set<string>();
  let options = NO_CPU_POLICY_OPTIONS;
  for (const [name, text] of Object.entries(given)) {
    const option = OPTIONS.has(name) ? OPTIONS.get(name) : undefined;
    if (option === undefined) throw new Error(`unknown CPU Manager Policy option: ${JSON.stringify(name)}`);
    const isEnabled =
      option.level === 'Stable' || (featureGates[`CPUManagerPolicy${option.level}Options`] ?? option.level === 'Beta');
    if (!isEnabled)
      throw new Error(
        `CPU Manager Policy ${option.level}-level Options not enabled, but option ${JSON.stringify(name)} provided`,
      );
    const value = parseBool(name, text);
    if (value) on.add(name);
    options = { ...options, [option.field]: value };
  }
  const clash = EXCLUSIVE.find(([one, other]) => on.has(one) && on.has(other));
  if (clash !== undefined)
    throw new Error(`static policy options ${clash[0]} and ${clash[1]} can not be used at the same time`);
  return options;
}

function parseBool(name: string, text: string): boolean {
  const value = parseGoBool(text);
  if (value === undefined) throw new Error(`bad value for option ${JSON.stringify(name)}: ${goBoolError(text)}`);
  return value;
}
