/**
 * Runs the pure stages of large requests in a thread, one after the other, while the main thread serves other requests. A
 * stage takes as long as its object is large: on the main thread everybody would wait for it. Where the program is not
 * bundled there is no thread, and the main thread runs every stage itself.
 */
import fs from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { CustomResourceDefinitionSpec } from '../../api/generated/apiextensions-v1.ts';
import { stringifySteps } from '../../base/index.ts';
import type { Context, Timer } from '../../kernel/index.ts';
import { internalError, StatusError, timeout } from '../../machinery/errors/index.ts';
import { inSlices } from '../request/in-slices.ts';
import type { CustomReference, ForgetDefinition, StageAnswer, StageQuestion } from './messages.ts';
import type { StageInput, StageName, StageOutput } from './stages.ts';

/** What CEL may cost in one turn of the main thread: about ten milliseconds. What costs more is left to the thread. */
export const MAIN_THREAD_COST = 50_000;

const MAX_STAGE_MS = 30_000;
/** Defaults can expand a small body into a large object. */
const MAX_MEMORY_MB = 1024;

interface Waiting {
  readonly question: StageQuestion;
  readonly resolve: (answer: StageAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** A version of a definition. */
interface CustomResource {
  readonly definition: CustomResourceDefinitionSpec;
  readonly version: string;
}

/** In place of a definition's number. */
const FORGOTTEN = 0;

export class StageRunner {
  readonly #ctx: Context;
  readonly #program: URL | undefined;
  /** The first is in the thread. The others are sent one by one, so that at most one input is in memory twice. */
  readonly #queue: Waiting[] = [];
  #worker: Worker | undefined;
  #limit: Timer | undefined;
  #lastId = 0;
  /** The numbers by which the thread knows definitions. */
  readonly #definitions = new WeakMap<CustomResourceDefinitionSpec, number>();
  #lastDefinition = 0;

  constructor(ctx: Context, program: URL | undefined = threadProgram()) {
    this.#ctx = ctx;
    this.#program = program;
    ctx.signal.addEventListener('abort', () => this.#end(new Error('the server stops')), { once: true });
  }

  /** Whether there is a thread. */
  get runs(): boolean {
    return this.#program !== undefined;
  }

  /**
   * undefined where the thread cannot run the stage, and the main thread must. Throws what the stage throws. `custom` is the
   * resource if it is a custom one: the thread gets its definition once.
   */
  async run<Name extends StageName>(
    stage: Name,
    input: StageInput<Name>,
    custom?: CustomResource,
  ): Promise<StageOutput<Name> | undefined> {
    if (this.#program === undefined || this.#ctx.signal.aborted) return undefined;
    const reference = custom && this.#referenceTo(custom);
    if (custom && !reference) return undefined;
    let answer = await this.#ask(stage, input, reference);
    if (reference && 'lacksDefinition' in answer) {
      const spec = await inSlices(this.#ctx.clock, stringifySteps(custom.definition));
      if (this.#definitions.get(custom.definition) === FORGOTTEN) return undefined;
      answer = await this.#ask(stage, input, { ...reference, spec });
      // It may be gone meanwhile.
      if (this.#definitions.get(custom.definition) === FORGOTTEN)
        this.#worker?.postMessage({ forget: reference.definition } satisfies ForgetDefinition);
    }
    if ('output' in answer) return answer.output as StageOutput<Name>;
    if ('refusal' in answer) throw new StatusError(answer.refusal);
    if ('failure' in answer) throw internalError(answer.failure);
    return undefined;
  }

  /** The definition has changed or is gone: requests that came before that are handled without the thread. */
  forget(definition: CustomResourceDefinitionSpec): void {
    const number = this.#definitions.get(definition);
    this.#definitions.set(definition, FORGOTTEN);
    if (number !== undefined) this.#worker?.postMessage({ forget: number } satisfies ForgetDefinition);
  }

  #referenceTo({ definition, version }: CustomResource): CustomReference | undefined {
    let number = this.#definitions.get(definition);
    if (number === FORGOTTEN) return undefined;
    if (number === undefined) this.#definitions.set(definition, (number = ++this.#lastDefinition));
    return { definition: number, version };
  }

  #ask<Name extends StageName>(
    stage: Name,
    input: StageInput<Name>,
    custom: CustomReference | undefined,
  ): Promise<StageAnswer> {
    return new Promise((resolve, reject) => {
      const question = { id: ++this.#lastId, stage, input, ...(custom ? { custom } : {}) } as StageQuestion;
      this.#queue.push({ question, resolve, reject });
      if (this.#queue.length === 1) this.#send();
    });
  }

  #send(): void {
    this.#limit?.cancel();
    this.#limit = undefined;
    const first = this.#queue[0];
    if (!first) return;
    this.#thread().postMessage(first.question);
    this.#limit = this.#ctx.clock.after(MAX_STAGE_MS, () =>
      this.#end(timeout('the request takes too long to process', 0)),
    );
  }

  #thread(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(this.#program!, {
      name: 'stage',
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    });
    worker.unref();
    worker.on('message', (answer: StageAnswer) => this.#take(answer));
    worker.on('error', (error) => {
      if (worker === this.#worker) this.#end(internalError(`processing a large request failed: ${error.message}`));
    });
    return (this.#worker = worker);
  }

  #take(answer: StageAnswer): void {
    if (this.#queue[0]?.question.id !== answer.id) return;
    const { resolve } = this.#queue.shift()!;
    this.#send();
    resolve(answer);
  }

  /** Terminates the thread and rejects the stage in it; the next stage starts a new thread. */
  #end(why: Error): void {
    const worker = this.#worker;
    this.#worker = undefined;
    const failed = this.#ctx.signal.aborted ? this.#queue.splice(0) : this.#queue.splice(0, 1);
    this.#send();
    for (const { reject } of failed) reject(why);
    void worker?.terminate();
  }
}

/** Next to the bundle, whose chunks are one folder below it. */
function threadProgram(): URL | undefined {
  const files = ['./stage-thread.js', '../stage-thread.js'].map((file) => new URL(file, import.meta.url));
  return files.find((url) => fs.existsSync(url));
}
