/** What the load process is told and what it tells back. */
export interface Target {
  readonly server: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
}

export interface RequestLoad {
  readonly type: 'requests';
  readonly target: Target;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON; the same for each request, so objects that are made of it need a generateName. `{n}` becomes the request's number. */
  readonly body?: string;
  readonly connections: number;
  /** Requests under way at any time, over all connections. */
  readonly concurrency: number;
  /** Requests before the measured ones: enough for the server's code to be compiled, however busy the machine is. */
  readonly warmUp: number;
  readonly durationMs: number;
}

export interface WatchLoad {
  readonly type: 'watch';
  readonly target: Target;
  readonly watchers: number;
  readonly connections: number;
  /** The collection that is watched. */
  readonly collection: string;
  /** An object of it that is changed all the time; `{n}` becomes the number of the change. */
  readonly name: string;
  readonly body: string;
  readonly durationMs: number;
}

export type Load = RequestLoad | WatchLoad;

export interface LoadResult {
  readonly perSecond: number;
  /** Of single requests, or from a write to the last watcher's event. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly count: number;
  readonly errors: number;
  readonly firstError?: string;
}
