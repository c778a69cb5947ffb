/**
 * The ResourceClaims that are prepared on this node, and their pods. Stored in `dra_manager_state`, to unprepare them
 * after a restart.
 */
import path from 'node:path';
import { StateFile } from '../resources/state-file.ts';
import type { ClaimInfo } from './claim-info.ts';
import { draCheckpoint } from './dra-checkpoint.ts';

const FILE = 'dra_manager_state';

export class ClaimInfoCache {
  readonly #file: StateFile<readonly ClaimInfo[]>;
  readonly #claims = new Map<string, ClaimInfo>();

  constructor(rootDirectory: string) {
    this.#file = new StateFile(path.join(rootDirectory, FILE), draCheckpoint);
  }

  async load(): Promise<void> {
    for (const claim of (await this.#file.load()) ?? []) this.#claims.set(keyOf(claim), claim);
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
    return this.#file.save(this.all());
  }
}

const keyOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`;
