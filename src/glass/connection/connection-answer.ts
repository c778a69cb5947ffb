/** What `why connection` prints: each step of a connection's way, one after the other. */
import type { ConnectionAnswer, ConnectionStep } from '../answers.ts';
import { answerText } from '../why/text.ts';

export function connectionText({ from, to, works, cause, steps, unknown }: ConnectionAnswer): string {
  const open = steps.findLast(({ passes }) => passes === undefined);
  const verdict =
    works === undefined
      ? `not known whether it works${open ? `: ${open.message}` : ''}`
      : works
        ? 'should work'
        : `does not work: ${cause ?? ''}`;
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
