/**
 * Parsing a megabyte of YAML takes seconds, which would block all other requests. So a thread parses long texts, and
 * decoding uses its result. Where the program is not bundled there is no thread, and decoding parses them itself.
 */
import fs from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Context, Timer } from '../../kernel/index.ts';
import { cacheYaml, readsAsJson } from '../../machinery/decode/index.ts';
import { internalError, timeout } from '../../machinery/errors/index.ts';
import type { YamlResponse, YamlRequest } from './messages.ts';

/** Shorter texts are parsed in less time than it takes to send them to a thread, unless anchors make them long. */
const LONG_TEXT = 8 * 1024;
const MAX_READING_MS = 30_000;
/** Aliases can expand a small text into a large value. */
const MAX_MEMORY_MB = 512;

interface Waiting {
  readonly text: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class YamlReader {
  readonly #ctx: Context;
  readonly #program: URL | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #limit: Timer | undefined;
  #lastId = 0;

  constructor(ctx: Context, program: URL | undefined = threadProgram()) {
    this.#ctx = ctx;
    this.#program = program;
    ctx.signal.addEventListener('abort', () => this.#end(new Error('the server is shutting down')), { once: true });
  }

  /** Resolves when decoding the text will not take long. Most of what is sent as YAML is JSON, which parses quickly. */
  async parseAhead(text: string): Promise<void> {
    const isLong = text.length >= LONG_TEXT || text.includes('&');
    if (this.#program === undefined || !isLong || readsAsJson(text)) return;
    const id = ++this.#lastId;
    const parsed = new Promise<void>((resolve, reject) => this.#waiting.set(id, { text, resolve, reject }));
    this.#thread(this.#program).postMessage({ id, text } satisfies YamlRequest);
    this.#restartTimeLimit();
    await parsed;
  }

  #thread(program: URL): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(program, { name: 'yaml', resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB } });
    worker.unref();
    worker.on('message', (response: YamlResponse) => this.#receive(response));
    worker.on('error', (error) => this.#end(internalError(`parsing YAML failed: ${error.message}`)));
    return (this.#worker = worker);
  }

  #receive({ id, result, failure }: YamlResponse): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    this.#restartTimeLimit();
    if (!result) return waiting.reject(internalError(failure ?? ''));
    cacheYaml(waiting.text, result);
    waiting.resolve();
  }

  /** The thread parses one text after the other: each result starts the time limit of the next. */
  #restartTimeLimit(): void {
    this.#limit?.cancel();
    this.#limit =
      this.#waiting.size === 0
        ? undefined
        : this.#ctx.clock.after(MAX_READING_MS, () =>
            this.#end(timeout('the YAML of the request takes too long to read', 0)),
          );
  }

  /** Terminates the thread and rejects the waiting texts; the next text starts a new thread. */
  #end(why: Error): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#limit?.cancel();
    for (const { reject } of this.#waiting.values()) reject(why);
    this.#waiting.clear();
    void worker?.terminate();
  }
}

/** Next to the bundle, whose chunks are one folder below it. */
function threadProgram(): URL | undefined {
  const files = ['./yaml-thread.js', '../yaml-thread.js'].map((file) => new URL(file, import.meta.url));
  return files.find((url) => fs.existsSync(url));
}
