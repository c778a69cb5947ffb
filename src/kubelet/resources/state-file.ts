/** A checkpoint file of a resource manager, so that its allocations survive a restart of the kubelet. */
import fs from 'node:fs/promises';
import { writeFileDurably } from '../../kernel/index.ts';

export class StateFile<T extends object> {
  readonly #file: string;
  #saving: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
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
    return text === undefined ? undefined : (JSON.parse(text) as T);
  }

  /** Writes are serialized, so that the newest state stays. */
  save(state: T): Promise<void> {
    const text = JSON.stringify(state);
    const writing = this.#saving.then(() => writeFileDurably(this.#file, text));
    this.#saving = writing.catch(() => {});
    return writing;
  }

  async settled(): Promise<void> {
    await this.#saving;
  }
}

/** Allocations of another policy cannot be taken over. */
export function checkPolicy({
  manager,
  configured,
  stored,
  file,
}: {
  readonly manager: 'CPU' | 'memory';
  readonly configured: string;
  readonly stored: string;
  readonly file: string;
}): void {
  if (configured !== stored)
    throw new Error(
      `configured policy ${JSON.stringify(configured)} differs from state checkpoint policy ${JSON.stringify(stored)}: please drain this node and delete the ${manager} manager checkpoint file ${JSON.stringify(file)} before restarting Kubelet`,
    );
}
