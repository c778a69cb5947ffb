/** Explanations of objects that are as their spec asks for, and of those that are not. */
import type { Cause, Explanation, Subject } from '../answers.ts';

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
