/** A checkpoint file of a resource manager, so that its allocations survive a restart of the kubelet. */
import fs from 'node:fs/promises';
import { errorMessage } from '../../base/index.ts';
import { writeFileDurably } from '../../kernel/index.ts';
import type { CheckpointFormat } from './manager-checkpoint.ts';

export class StateFile<T extends object> {
  readonly #file: string;
  readonly #format: CheckpointFormat<T>;
  #saving: Promise<void> = Promise.resolve();

  constructor(file: string, format: CheckpointFormat<T>) {
    this.#file = file;
    this.#format = format;
  }

  get path(): string {
    return this.#file;
  }

  /** Undefined without a file; throws when it cannot be read. */
  async load(): Promise<T | undefined> {
    const text = await fs.readFile(this.#file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return undefined;
    });
    return text === undefined ? undefined : this.#format.decode(text);
  }

  /** Writes are serialized, so that the newest state stays. */
  save(state: T): Promise<void> {
    const text = this.#format.encode(state);
    const writing = this.#saving.then(() => writeFileDurably(this.#file, text));
    this.#saving = writing.catch(() => {});
    return writing;
  }

  async settled(): Promise<void> {
    await this.#saving;
  }
}

interface ManagerState {
  readonly manager: 'CPU' | 'memory';
  readonly configured: string;
}

/**
 * The state that a manager left, undefined if there is none. Allocations of another policy cannot be taken over, and a file that
 * cannot be read must not be overwritten.
 */
export async function restoreState<T extends { readonly policyName: string }>(
  file: StateFile<T>,
  { manager, configured }: ManagerState,
): Promise<T | undefined> {
  try {
    const state = await file.load();
    if (state !== undefined && state.policyName !== configured)
      throw new Error(
        `configured policy ${JSON.stringify(configured)} differs from state checkpoint policy ${JSON.stringify(state.policyName)}`,
      );
    return state;
  } catch (error) {
    throw new Error(
      `could not restore state from checkpoint: ${errorMessage(error)}, please drain this node and delete the ${manager} manager checkpoint file ${JSON.stringify(file.path)} before restarting Kubelet`,
      { cause: error },
    );
  }
}
