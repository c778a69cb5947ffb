/** A file of resources by pod, kept in memory. Changes during a write are written together, after it. */
import fs from 'node:fs/promises';
import { writeFileDurably } from '../../kernel/index.ts';
import { allocationsText, readAllocations, type AllocatedResources } from './allocation-checkpoint.ts';

export class ResourcesFile {
  readonly #file: string;
  readonly #pods = new Map<string, AllocatedResources>();
  #saving: Promise<void> = Promise.resolve();
  #waiting = false;

  constructor(file: string) {
    this.#file = file;
  }

  async load(): Promise<void> {
    const text = await fs.readFile(this.#file, 'utf8').catch(() => undefined);
    if (text === undefined) return;
    try {
      for (const [uid, resources] of readAllocations(text)) this.#pods.set(uid, resources);
    } catch {
      // Without a readable file, pods have what their specs request.
    }
  }

  get(uid: string): AllocatedResources | undefined {
    return this.#pods.get(uid);
  }

  set(uid: string, resources: AllocatedResources): void {
    this.#pods.set(uid, resources);
    this.#save();
  }

  delete(uid: string): void {
    if (this.#pods.delete(uid)) this.#save();
  }

  async settled(): Promise<void> {
    await this.#saving;
  }

  #save(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    const write = (): Promise<void> => {
      this.#waiting = false;
      return writeFileDurably(this.#file, allocationsText(this.#pods));
    };
    this.#saving = this.#saving.then(write).catch(() => {});
  }
}
