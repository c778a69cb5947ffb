/**
 * What the API server does for speed alone. Each feature is a module with a plain counterpart that gives the same answers more
 * slowly, and its head names the rows of `npm run bench` that it pays for. All are on by default;
 * pipeline/speed-options.test.ts and transport/serve.test.ts run the server with each of them off.
 */
export interface SpeedOptions {
  /** storage/lazy-encoding.ts */
  readonly lazyEncoding: boolean;
  /** storage/written-objects.ts */
  readonly writtenObjects: boolean;
  /** storage/shared-frames.ts */
  readonly sharedFrames: boolean;
  /** registry/template-cache.ts */
  readonly templateCache: boolean;
  /** verbs/unchanged-fields.ts */
  readonly unchangedFields: boolean;
  /** transport/batch-requests.ts */
  readonly batchRequests: boolean;
  /** transport/response-heads.ts, transport/thread/header-table.ts */
  readonly headerTables: boolean;
  /** transport/thread/message-batch.ts */
  readonly messageBatches: boolean;
}

export const ALL_SPEED: SpeedOptions = {
  lazyEncoding: true,
  writtenObjects: true,
  sharedFrames: true,
  templateCache: true,
  unchangedFields: true,
  batchRequests: true,
  headerTables: true,
  messageBatches: true,
};
