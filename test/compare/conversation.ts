/**
 * A conversation is what is sent to both servers, request by request. `$NS` is its namespace and `$RUN` a word of its
 * own for names of cluster-scoped objects; `$WEBHOOK` is where the webhooks of the comparison listen and `$CA` what
 * they are trusted by. What a step saves of its answer stands as `$NAME` in later ones, for each server its own.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export interface Step {
  readonly method: string;
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of a body. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Names and the paths of their values in the answer: `{ UID: 'metadata.uid' }`. */
  readonly save?: Readonly<Record<string, string>>;
  /** Made only so that others can follow: not compared. */
  readonly setup?: true;
  /** Sent again until the answer has this status, or is this one, for seconds: for what a server does a moment later. */
  readonly until?: number | ((answer: Answer) => boolean);
  /** Sent again until the answer stays the same for this time: for what controllers bring about. */
  readonly settleMs?: number;
  /** Before the next step: where nothing shows that both servers have seen what was written. */
  readonly pauseMs?: number;
  /** A watch: opened here, read while the next steps run, compared when it has ended. The path limits its time. */
  readonly watch?: true;
  /** Reviews that webhooks got for this request are compared too. */
  readonly reviews?: true;
  /** What is tried, for the grouping of differences: a field, a parameter. */
  readonly about?: string;
  /** What of the answer is compared, where the rest is not the same on two servers. */
  readonly only?: (body: unknown) => unknown;
}

export interface Conversation {
  /** The kind, path or topic. */
  readonly topic: string;
  /** Whether it needs a namespace of its own, with its ServiceAccount. */
  readonly namespace: boolean;
  readonly steps: readonly Step[];
  /** Removes cluster-scoped objects; not compared. */
  readonly cleanup?: readonly Step[];
}

/** What makes the conversations of an area: an endless stream for most, which the number of requests cuts off. */
export interface Area {
  /** How much of the requests it gets, relative to the other areas. */
  readonly weight: number;
  readonly conversations: (options: AreaOptions) => Iterable<Conversation>;
}

export interface AreaOptions {
  readonly seed: string;
  /** Only these kinds, by plural; all when it is empty. */
  readonly kinds: readonly string[];
  /** Whether controllers and the scheduler run in both clusters. */
  readonly controllers?: boolean;
  /** The kinds and versions that are off by default, instead of the others. */
  readonly everything?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** One of the two API servers. */
export interface Server {
  send(request: Request): Promise<Answer>;
  close(): void;
}
