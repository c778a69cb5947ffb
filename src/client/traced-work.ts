/** Work on the keys of a queue, recorded with its causes. */
import type { Cause, CauseSource, Tracer } from '../kernel/index.ts';
import type { Client } from './client.ts';
import { causedRecorder, type EventRecorder } from './event-recorder.ts';

/** What workers have of their own. */
interface WorkerContext {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly tracer: Tracer;
}

/** Does the work of a key; `again`: the causes of work that it leaves for later. */
export type Work<C> = (key: string, worker: C, again: readonly Cause[]) => Promise<void>;

/** A worker does one thing at a time, so that everything its client sends meanwhile is caused by that. */
interface Worker<C> {
  readonly context: C;
  readonly doing: CauseSource;
}

/**
 * The handler of a queue's workers. Each worker has a context whose client and recorder name what it is doing;
 * `describe` says which object a key is, where the key does not.
 */
export function tracedWork<C extends WorkerContext>(
  context: C,
  name: string,
  work: Work<C>,
  describe: (key: string) => string = (key) => key,
): (key: string, signal: AbortSignal, causes: readonly Cause[]) => Promise<void> {
  const { tracer } = context;
  const idle: Worker<C>[] = [];
  const title = `reconcile ${name}`;
  return (key, _signal, causes) => (tracer.enabled ? record(key, causes) : work(key, context, causes));

  async function record(key: string, causes: readonly Cause[]): Promise<void> {
    const worker = idle.pop() ?? newWorker(context);
    const attributes = { 'k8s.controller': name, 'k8s.key': describe(key) };
    const span = tracer.start(title, { causes, attributes });
    worker.doing.span = span.id;
    try {
      await work(key, worker.context, [{ span: span.id }]);
      tracer.end(span);
    } catch (error) {
      tracer.end(span, error);
      throw error;
    } finally {
      worker.doing.span = 0;
      idle.push(worker);
    }
  }
}

function newWorker<C extends WorkerContext>(context: C): Worker<C> {
  const doing = { span: 0 };
  const client = context.client.causedBy(doing);
  return { doing, context: { ...context, client, recorder: causedRecorder(context.recorder, doing) } };
}
