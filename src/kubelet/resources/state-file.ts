/** What a manager has given to whom, in a file below the kubelet's directory, so that a restart changes nothing. */
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

  /** Undefined when there is none; throws when it cannot be read. */
  async load(): Promise<T | undefined> {
    const text = await fs.readFile(this.#file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return undefined;
    });
    return text === undefined ? undefined : (JSON.parse(text) as T);
  }

  /** One after the other, so that the newest is what stays. */
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

/** A state that another policy has left says things about containers that this one cannot keep. */
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
