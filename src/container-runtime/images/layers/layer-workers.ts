/**
 * The pool of worker threads that unpack layers. Threads start on demand and end when idle. Each runs one job at a
 * time, so that cancelling a job terminates its thread.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Context, Timer } from '../../../kernel/index.ts';
import { ImageError } from '../image-error.ts';
import type { LayerAnswer, LayerRequest } from './layer-worker.ts';
import type { UnpackedLayer, UnpackJob } from './unpack-layer.ts';

const MAX_THREADS = 2;
const IDLE_MS = 10_000;

interface IdleThread {
  readonly worker: Worker;
  readonly timer: Timer;
}

type Request = { readonly unpack: UnpackJob } | { readonly sync: string };

export class LayerWorkers {
  readonly #ctx: Context;
  readonly #idle: IdleThread[] = [];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;
  #closed = false;
  #requests = 0;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  async unpack(job: UnpackJob, signal?: AbortSignal): Promise<UnpackedLayer> {
    const { unpacked } = await this.#run({ unpack: job }, signal);
    if (unpacked === undefined) throw new Error('the layer worker gave no result');
    return unpacked;
  }

  /** Writes the file system that a path is on to disk. */
  async sync(path: string): Promise<void> {
    await this.#run({ sync: path });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#idle.splice(0).map(({ worker, timer }) => (timer.cancel(), worker.terminate())));
  }

  async #run(request: Request, signal?: AbortSignal): Promise<LayerAnswer> {
    while (this.#busy >= MAX_THREADS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#busy++;
    let worker: Worker | undefined;
    try {
      signal?.throwIfAborted();
      worker = this.#takeIdle() ?? (await startWorker());
      const result = await ask(worker, { id: ++this.#requests, ...request }, signal);
      if (this.#closed) await worker.terminate();
      else this.#release(worker);
      if (result.error !== undefined) throw asError(result.error);
      return result;
    } finally {
      this.#busy--;
      this.#waiting.shift()?.();
    }
  }

  #takeIdle(): Worker | undefined {
    const thread = this.#idle.pop();
    thread?.timer.cancel();
    thread?.worker.ref();
    return thread?.worker;
  }

  #release(worker: Worker): void {
    worker.unref();
    const timer = this.#ctx.clock.after(IDLE_MS, () => {
      const at = this.#idle.findIndex((thread) => thread.worker === worker);
      if (at !== -1) this.#idle.splice(at, 1);
      void worker.terminate();
    });
    this.#idle.push({ worker, timer });
  }
}

async function startWorker(): Promise<Worker> {
  const { workerUrl, WORKER_ROLE } = await import('./layer-worker.ts');
  if (!workerUrl.endsWith('.ts')) return new Worker(new URL(workerUrl), { workerData: WORKER_ROLE });
  // When run from source, the thread has to register the TypeScript loader itself.
  const tsx = new URL('index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm/api'))).href;
  const start = `import(${JSON.stringify(tsx)}).then(({ register }) => { register(); return import(${JSON.stringify(workerUrl)}); })`;
  return new Worker(start, { eval: true, workerData: WORKER_ROLE });
}

/** Sends a request and waits for the answer; terminates the thread if it fails or the signal aborts. */
async function ask(worker: Worker, request: LayerRequest, signal?: AbortSignal): Promise<LayerAnswer> {
  let resolve: (answer: LayerAnswer) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const answered = new Promise<LayerAnswer>((onAnswer, onFailure) => ([resolve, reject] = [onAnswer, onFailure]));
  const onExit = (): void => reject(new Error('the layer worker ended early'));
  const onAbort = (): void => reject(signal?.reason);
  worker.on('message', resolve).on('error', reject).on('exit', onExit);
  signal?.addEventListener('abort', onAbort);
  try {
    worker.postMessage(request);
    return await answered;
  } catch (error) {
    await worker.terminate();
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    worker.off('message', resolve).off('error', reject).off('exit', onExit);
  }
}

/** Invalid layers are FAILED_PRECONDITION, everything else is INTERNAL. */
function asError({ name, message }: { name: string; message: string }): Error {
  if (name === 'LayerError' || name === 'TarError') return new ImageError('FAILED_PRECONDITION', message);
  return new ImageError('INTERNAL', message);
}
