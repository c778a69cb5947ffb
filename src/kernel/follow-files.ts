/**
 * Files whose content is used while it changes: certificates that somebody renews, CA bundles, configurations. They are read again
 * when they change, be it by a write, by another file of that name, or by a symbolic link that a kubelet exchanges, as it does
 * for mounted Secrets. What cannot be used, such as a certificate whose key is not there yet, is logged, and the last content stays.
 */
import { watch, type FSWatcher } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Context } from './context.ts';

export interface FollowedFiles<Value> {
  readonly value: Value;
  /** The listener gets every later value. */
  onChange(listener: (value: Value) => void): void;
}

interface FollowOptions<Value> {
  /** What the files are, for the log: `serving-cert`. */
  readonly name: string;
  readonly files: readonly string[];
  /** Gets the content of the files in their order; throws if it cannot be used. */
  readonly parse: (texts: readonly string[]) => Value | Promise<Value>;
  /** Called after each attempt to load changed files. */
  readonly onReload?: (succeeded: boolean) => void;
}

/** Not every file system reports changes. */
const READ_EVERY_MS = 60_000;

type FollowContext = Pick<Context, 'clock' | 'logger' | 'signal'>;

/** Throws if the files cannot be used at the start. Follows them until the context ends. */
export async function followFiles<Value>(
  ctx: FollowContext,
  options: FollowOptions<Value>,
): Promise<FollowedFiles<Value>> {
  const texts = await readAll(options.files);
  const followed = new Follower(ctx, options, { texts, value: await options.parse(texts) });
  followed.start();
  return followed;
}

interface Known<Value> {
  readonly texts: readonly string[];
  readonly value: Value;
}

class Follower<Value> implements FollowedFiles<Value> {
  readonly #ctx: FollowContext;
  readonly #options: FollowOptions<Value>;
  readonly #listeners: ((value: Value) => void)[] = [];
  #known: Known<Value>;
  /** The content that could not be used. */
  #refused: readonly string[] | undefined;
  #isReading = false;
  #isChanged = false;

  constructor(ctx: FollowContext, options: FollowOptions<Value>, known: Known<Value>) {
    this.#ctx = ctx;
    this.#options = options;
    this.#known = known;
  }

  get value(): Value {
    return this.#known.value;
  }

  onChange(listener: (value: Value) => void): void {
    this.#listeners.push(listener);
  }

  start(): void {
    const { clock, signal } = this.#ctx;
    if (signal.aborted) return;
    const changed = (): void => void this.#changed();
    const watchers = watchNames(this.#options.files, changed);
    const timer = clock.every(READ_EVERY_MS, changed);
    signal.addEventListener(
      'abort',
      () => {
        timer.cancel();
        for (const watcher of watchers) watcher.close();
      },
      { once: true },
    );
    // The files may have changed before they were watched.
    changed();
  }

  /** Changes while the files are read are read afterwards. */
  async #changed(): Promise<void> {
    this.#isChanged = true;
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#isChanged && !this.#ctx.signal.aborted) {
      this.#isChanged = false;
      await this.#read();
    }
    this.#isReading = false;
  }

  async #read(): Promise<void> {
    const { name, files, parse, onReload } = this.#options;
    const { logger, signal } = this.#ctx;
    try {
      const texts = await readAll(files);
      if (isSame(texts, this.#known.texts) || isSame(texts, this.#refused)) return;
      this.#refused = texts;
      const value = await parse(texts);
      if (signal.aborted) return;
      this.#known = { texts, value };
      this.#refused = undefined;
      for (const listener of this.#listeners) listener(value);
      logger.v(2).info('Loaded the changed files', { name, files: files.join(', ') });
    } catch (error) {
      logger.error(error, 'Failed to load the changed files, keeping their last content', {
        name,
        files: files.join(', '),
      });
      onReload?.(false);
      return;
    }
    onReload?.(true);
  }
}

const isSame = (texts: readonly string[], known: readonly string[] | undefined): boolean =>
  known !== undefined && texts.every((text, index) => text === known[index]);

const readAll = (files: readonly string[]): Promise<string[]> =>
  Promise.all(files.map((file) => fs.readFile(file, 'utf8')));

/**
 * Watches the directories, because the watch of a file ends with the file. Kubelets exchange `..data`, to which the names in the
 * directory of a mounted Secret lead.
 */
function watchNames(files: readonly string[], changed: () => void): FSWatcher[] {
  const names = new Map<string, Set<string>>();
  for (const file of files) {
    const directory = path.dirname(file);
    names.set(directory, (names.get(directory) ?? new Set()).add(path.basename(file)));
  }
  return Array.from(names).flatMap(([directory, wanted]) => {
    try {
      const watcher = watch(directory, { persistent: false }, (_event, name) => {
        if (name === null || wanted.has(name) || name.startsWith('..')) changed();
      });
      watcher.on('error', () => {});
      return [watcher];
    } catch {
      return [];
    }
  });
}
