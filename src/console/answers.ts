/**
 * What the console's server answers to questions of the pages. The pages are a bundle of their own and cannot import from glass;
 * who gives the answers is checked against these types, so the two cannot drift apart.
 */
export interface Explanation {
  readonly subject: { readonly kind: string; readonly namespace?: string; readonly name: string };
  readonly state: string;
  readonly healthy: boolean;
  readonly causes: readonly Cause[];
}

export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly remedy?: string;
  readonly evidence?: readonly string[];
  readonly because?: readonly Explanation[];
}

export interface WhyAnswer extends Explanation {
  readonly unknown: readonly string[];
}

export interface ConnectionStep {
  readonly step: string;
  /** Absent where it could not be found out. */
  readonly passes?: boolean;
  readonly message: string;
  readonly evidence?: readonly string[];
  readonly remedy?: string;
}

export interface ConnectionAnswer {
  readonly from: string;
  readonly to: string;
  readonly works?: boolean;
  readonly cause?: string;
  readonly steps: readonly ConnectionStep[];
  readonly unknown: readonly string[];
}

/** The revisions that the time machine can show. */
export interface KeptCommits {
  /** The oldest and the newest revision that can be read. */
  readonly oldest: number;
  readonly newest: number;
  /** The oldest first; empty where nothing is recorded. */
  readonly commits: readonly {
    readonly revision: number;
    readonly at: number;
    readonly title: string;
    readonly user?: string;
  }[];
}

/** By the name of the question. */
export interface ConsoleAnswers {
  readonly why: WhyAnswer;
  readonly connection: ConnectionAnswer;
  readonly commits: KeptCommits;
}
