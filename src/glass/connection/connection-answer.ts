import type { Explanation } from '../why/explanation.ts';
/** What `why connection` answers: each step of a connection's way, one after the other. */
import { answerText } from '../why/text.ts';

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

export function connectionText({ from, to, works, cause, steps, unknown }: ConnectionAnswer): string {
  const verdict =
    works === undefined ? 'not known whether it works' : works ? 'should work' : `does not work: ${cause ?? ''}`;
  return [
    `${from} -> ${to}: ${verdict}`,
    ...steps.flatMap(stepLines),
    ...(unknown.length > 0 ? ['', 'Not known:', ...unknown.map((line) => `  ${line}`)] : []),
  ].join('\n');
}

function stepLines({ step, passes, message, evidence = [], remedy, because = [] }: ConnectionStep): string[] {
  const mark = passes === undefined ? '?' : passes ? 'ok' : 'FAILS';
  return [
    `  ${step}: ${mark}: ${message}`,
    ...evidence.map((line) => `    - ${line}`),
    ...(remedy ? [`    What helps: ${remedy}`] : []),
    ...because.flatMap((explanation) =>
      answerText({ ...explanation, unknown: [] })
        .split('\n')
        .map((line) => `    ${line}`),
    ),
  ];
}
