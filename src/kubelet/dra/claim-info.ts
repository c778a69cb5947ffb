/** A ResourceClaim that is prepared on this node, and its devices. */

export interface PreparedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  /** The requests of the claim that the device is for; empty for all. */
  readonly requests: readonly string[];
  readonly cdiDevices: readonly string[];
  readonly shareId?: string;
}

export interface ClaimInfo {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly drivers: readonly string[];
  podUids: readonly string[];
  /** Undefined until every driver has prepared the claim. */
  devices: readonly PreparedDevice[] | undefined;
}

/** The devices of a claim for one of its requests or its subrequests; without a request, all devices. */
export function devicesFor({ devices }: ClaimInfo, request: string | undefined): readonly PreparedDevice[] {
  if (request === undefined || request === '') return devices ?? [];
  return (devices ?? []).filter(
    ({ requests }) => requests.length === 0 || requests.some((one) => one === request || one.split('/')[0] === request),
  );
}
