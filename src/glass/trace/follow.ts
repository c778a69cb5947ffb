/** Follows what a span causes until the cluster is quiet. */
import type { Client } from '../../client/index.ts';
import type { RecordedSpan } from '../../kernel/index.ts';
import { spansOf, traceOf, type Trace } from './trace.ts';
import { waitingPods } from './waiting-pods.ts';

export interface FollowedTrace extends Trace {
  /** What is not done, and what it waits for. */
  readonly waiting: readonly string[];
}

interface FollowOptions {
  /** Reads the spans from `since` on, in the order of their start. */
  spans(since: number): Promise<readonly RecordedSpan[]> | readonly RecordedSpan[];
  readonly root: number;
  /** To see which pods are not ready. */
  readonly client: Client;
  /** In milliseconds; only differences count. */
  now(): number;
  /** Lets some time pass. */
  pause(): Promise<void>;
  /** Without anything new for this long, the cluster is quiet; default 1 s. */
  readonly quietMs?: number;
  /** Default 60 s. */
  readonly timeoutMs?: number;
}

const QUIET_MS = 1000;
const TIMEOUT_MS = 60_000;

/** Fails when the spans were dropped meanwhile: the memory for them is bounded. */
export async function followTrace(options: FollowOptions): Promise<FollowedTrace> {
  const { root, client, now, pause, quietMs = QUIET_MS, timeoutMs = TIMEOUT_MS } = options;
  const limit = now() + timeoutMs;
  let [known, changedAt] = ['', now()];
  for (;;) {
    const trace = traceOf(await options.spans(root), root);
    if (!trace) throw new Error('the trace is no longer recorded: newer spans have taken its place');
    const state = `${trace.size} ${trace.open.length}`;
    if (state !== known) [known, changedAt] = [state, now()];
    const isLate = now() >= limit;
    if (isLate || (trace.open.length === 0 && now() - changedAt >= quietMs)) {
      const pods = await waitingPods(client, spansOf(trace.root));
      if (isLate || !pods.some(({ moves }) => moves)) return { ...trace, waiting: pods.map(({ text }) => text) };
    }
    await pause();
  }
}
