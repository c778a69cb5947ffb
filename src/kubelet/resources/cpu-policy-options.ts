/** The options of the static CPU policy: which there are, how mature they are, and which exclude each other. */

export interface CpuPolicyOptions {
  /** Only whole cores, so that no two containers share one. */
  readonly fullCoresOnly: boolean;
  /** What needs several NUMA nodes gets as much of each. */
  readonly acrossNuma: boolean;
  /** What is on one socket counts as together, whatever its NUMA nodes. */
  readonly alignBySocket: boolean;
  /** Threads of different cores, as long as there are any. */
  readonly acrossCores: boolean;
  /** Nobody runs on the reserved CPUs, not even those that share. */
  readonly strictReservation: boolean;
  /** As few caches of the last level as possible. */
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

/** Throws, in upstream's words, what cannot be. */
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
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return false;
  throw new Error(
    `bad value for option ${JSON.stringify(name)}: strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
}
