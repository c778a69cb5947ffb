/** What `why` answers with. */

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

export const healthy = (subject: Subject, state: string, causes: readonly Cause[] = []): Explanation => ({
  subject,
  state,
  healthy: true,
  causes,
});

export const unhealthy = (subject: Subject, state: string, causes: readonly Cause[]): Explanation => ({
  subject,
  state,
  healthy: false,
  causes,
});
