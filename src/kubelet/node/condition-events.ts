/** The event reasons for changed node conditions. */
const REASONS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map(
  Object.entries<Readonly<Record<string, string>>>({
    MemoryPressure: { True: 'NodeHasInsufficientMemory', False: 'NodeHasSufficientMemory' },
    DiskPressure: { True: 'NodeHasDiskPressure', False: 'NodeHasNoDiskPressure' },
    PIDPressure: { True: 'NodeHasInsufficientPID', False: 'NodeHasSufficientPID' },
    Ready: { True: 'NodeReady', False: 'NodeNotReady' },
  }),
);

export const conditionEventReason = (type: string, status: string): string | undefined => REASONS.get(type)?.[status];
