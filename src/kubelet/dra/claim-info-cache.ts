/** What is prepared on this node of resource claims, and for which pods; kept in a file, so that it can be undone after a restart. */
import path from 'node:path';
import { StateFile } from '../resources/state-file.ts';

export interface PreparedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  /** Requests of the claim that it is for; empty for all. */
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
  /** Undefined while it is not prepared by every driver. */
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

/** Devices of a claim that are for one of its requests, or for all; a request may have been met by one of its subrequests. */
export function devicesFor({ devices }: ClaimInfo, request: string | undefined): readonly PreparedDevice[] {
  if (request === undefined || request === '') return devices ?? [];
  return (devices ?? []).filter(
    ({ requests }) => requests.length === 0 || requests.some((one) => one === request || one.split('/')[0] === request),
  );
}
