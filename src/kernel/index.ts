/**
 * What a component gets instead of globals: clock, randomness, klog-style logging, metrics, and what is built on them:
 * work queues, rate limiters, backoff, groups of tasks. Everything that differs between a real run and a simulated one
 * is behind the interfaces of `Context`. `createContext` creates one for a real run, `createTestContext` one with
 * virtual time and seeded randomness. Nothing outside this folder reads the clock, sets a timer or draws a random
 * number; `scripts/check-boundaries.mjs` enforces that.
 */
export { deadlineOn, DeadlineExceeded, sleepOn, type Clock, type Timer } from './clock.ts';
export { RealClock } from './real-clock.ts';
export { withDeadline } from './with-deadline.ts';
export { afterTogether, everyTogether } from './shared-timers.ts';
export { VirtualClock } from './virtual-clock.ts';
export { NAME_SUFFIX_ALPHABET, NAME_SUFFIX_LENGTH, type Random } from './random.ts';
export { SeededRandom } from './seeded-random.ts';
export { SystemRandom } from './system-random.ts';
export { silentLogger, type Logger } from './logger.ts';

export { redact } from './redact.ts';
export {
  exponentialBuckets,
  linearBuckets,
  METRICS_CONTENT_TYPE,
  type Counter,
  type Gauge,
  type Histogram,
  type MetricsRegistry,
} from './metrics.ts';
export { PrometheusRegistry } from './metrics-registry.ts';
export { registerProcessMetrics } from './process-metrics.ts';
export { EventLoopTurns } from './event-loop-turns.ts';
export { Backoff } from './backoff.ts';
export { allocateBytes, type ByteAllocator, SlabBytes } from './long-lived-buffers.ts';
export { followFiles, type FollowedFiles } from './follow-files.ts';
export { makeDirectory, makeDirectorySync } from './make-directory.ts';
export { isStillRunning, processStart } from './process-start.ts';
export { makeDirectoryDurably, renameDurably, syncDirectory, syncFile, writeFileDurably } from './durable-file.ts';
export { ItemExponentialFailureRateLimiter, TokenBucket } from './rate-limiter.ts';
export { Heap } from './heap.ts';
export { SpanRing } from './span-ring.ts';
export { parseTraceparent } from './trace-headers.ts';
export {
  deliver,
  deliveredCauses,
  mergeCauses,
  NO_SPAN,
  noTracer,
  revisionOf,
  type AttributeValue,
  type Attributes,
  type Cause,
  type CauseSource,
  type ReadSpan,
  type RecordedSpan,
  type RemoteSpanContext,
  type Span,
  type SpanContext,
  type SpanStart,
  type Tracer,
} from './tracing.ts';
export { WorkQueue } from './work-queue.ts';
export { runWorkers } from './work-queue-workers.ts';
export { isAbort, RunGroup } from './run-group.ts';
export { unlessAborted } from './unless-aborted.ts';
export { untilAborted } from './until-aborted.ts';
export { endInOrder } from './end-in-order.ts';
export { WakeUp } from './wake-up.ts';
export { childContext, createContext, type Context, type ContextOptions } from './context.ts';
export { createTestContext, type TestContext } from './test-context.ts';
export { enableSingleIdleGc } from './single-idle-gc.ts';
