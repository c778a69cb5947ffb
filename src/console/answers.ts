/** What the console's server answers to questions of the pages. */
import type { Answer, ConnectionAnswer } from '../glass/answers.ts';

export type { Answer, Cause, ConnectionAnswer, ConnectionStep, Explanation } from '../glass/answers.ts';

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
  readonly why: Answer;
  readonly connection: ConnectionAnswer;
  readonly commits: KeptCommits;
}
