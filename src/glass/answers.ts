/**
 * What `why` and `why connection` answer with: types alone and no imports, because the console's pages, which run in a browser,
 * read the same answers.
 */

/** The object that is explained. */
export interface Subject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface Explanation {
  readonly subject: Subject;
  /** The state in a few words: `Pending`, `0 of 3 pods are available`. */
  readonly state: string;
  /** Whether the object is as its spec asks for. */
  readonly healthy: boolean;
  /** The causes, the most telling one first. */
  readonly causes: readonly Cause[];
}

export interface Cause {
  /** A word for programs, upstream's where it has one: `Unschedulable`, `ImagePullBackOff`. */
  readonly reason: string;
  readonly message: string;
  /** What to do about it. */
  readonly remedy?: string;
  /** Facts that show it, one a line: nodes and the plugins that rejected them, events, exit codes. */
  readonly evidence?: readonly string[];
  /** Objects that are the cause, explained in turn. */
  readonly because?: readonly Explanation[];
}

export interface Answer extends Explanation {
  /** What could not be found out, and why not. */
  readonly unknown: readonly string[];
}

/** One step of a connection's way. */
export interface ConnectionStep {
  /** `DNS`, `Egress policy`, `Service`, `Rules`, `Endpoint` … */
  readonly step: string;
  /** Absent where it could not be found out. */
  readonly passes?: boolean;
  readonly message: string;
  readonly evidence?: readonly string[];
  readonly remedy?: string;
  /** Objects that are the cause, explained in turn. */
  readonly because?: readonly Explanation[];
}

export interface ConnectionAnswer {
  readonly from: string;
  readonly to: string;
  /** What follows from the API: absent where that does not decide it. */
  readonly works?: boolean;
  /** The first step that fails, in a sentence. */
  readonly cause?: string;
  readonly steps: readonly ConnectionStep[];
  readonly unknown: readonly string[];
}
