/** An answer as text: a tree of causes, each with its evidence and what to do. */
import type { Answer, Cause, Explanation } from '../answers.ts';

export function answerText(answer: Answer): string {
  return [
    ...explanationLines(answer, ''),
    ...(answer.unknown.length > 0 ? ['', 'Not known:', ...answer.unknown.map((line) => `  ${line}`)] : []),
  ].join('\n');
}

function explanationLines({ subject, state, causes }: Explanation, indent: string): string[] {
  const name = subject.namespace ? `${subject.namespace}/${subject.name}` : subject.name;
  return [`${indent}${subject.kind} ${name}: ${state}`, ...causes.flatMap((cause) => causeLines(cause, `${indent}  `))];
}

function causeLines({ reason, message, evidence = [], remedy, because = [] }: Cause, indent: string): string[] {
  return [
    `${indent}${reason}: ${message}`,
    ...evidence.map((line) => `${indent}  - ${line}`),
    ...(remedy ? [`${indent}  What helps: ${remedy}`] : []),
    ...because.flatMap((explanation) => explanationLines(explanation, `${indent}  `)),
  ];
}
