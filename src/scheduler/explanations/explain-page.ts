/** The page `/explain` of the scheduler. */
import type { Explanations } from './explanations.ts';

/** `/explain?namespace=NAMESPACE&pod=NAME`: the last attempt for a pod; without a pod the latest attempts of all. */
export function explainPage(explanations: Explanations, query: URLSearchParams): { status: number; value: unknown } {
  const pod = query.get('pod');
  if (pod === null) return { status: 200, value: { attempts: explanations.recent() } };
  const key = `${query.get('namespace') ?? 'default'}/${pod}`;
  const explanation = explanations.explanationOf(key);
  if (explanation !== undefined) return { status: 200, value: explanation };
  return {
    status: 404,
    value: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      reason: 'NotFound',
      code: 404,
      message: `there is no recent scheduling attempt for pod ${key}`,
    },
  };
}
