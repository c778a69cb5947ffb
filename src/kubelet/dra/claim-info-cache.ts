/** The ResourceClaims that are prepared on this node, and their pods. Stored in `dra_manager_state`, to unprepare them after a restart. */
import path from 'node:path';
import { StateFile } from '../resources/state-file.ts';

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

const FILE = 'dra_manager_state';

export class ClaimInfoCache {
  readonly #file: StateFile<{ readonly version: 'v1'; readonly claims: readonly ClaimInfo[] }>;
  readonly #claims = new Map<string, ClaimInfo>();

  constructor(rootDirectory: string) {
    this.#file = new StateFile(path.join(rootDirectory, FILE));
  }

  async load(): Promise<void> {
    for (const claim of (await this.#file.load())?.claims ?? []) this.#claims.set(keyOf(claim), claim);
  }

  get(namespace: string, name: string): ClaimInfo | undefined {
    return this.#claims.get(keyOf({ namespace, name }));
  }

  set(claim: ClaimInfo): void {
    this.#claims.set(keyOf(claim), claim);
  }

  delete(claim: ClaimInfo): void {
    this.#claims.delete(keyOf(claim));
  }

  all(): ClaimInfo[] {
    return [...this.#claims.values()];
  }

  of(podUid: string): ClaimInfo[] {
    return this.all().filter(({ podUids }) => podUids.includes(podUid));
  }

  save(): Promise<void> {
    return this.#file.save({ version: 'v1', claims: this.all() });
  }
}

const keyOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`;

/** The devices of a claim for one of its requests or its subrequests; without a request, all devices. */
export function devicesFor({ devices }: ClaimInfo, request: string | undefined): readonly PreparedDevice[] {
  if (request === undefined || request === '') return devices ?? [];
  return (devices ?? []).filter(
    ({ requests }) => requests.length === 0 || requests.some((one) => one === request || one.split('/')[0] === request),
  );
}
