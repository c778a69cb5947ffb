/** Asks authorizers in order until one decides. */
import type { Authorizer, Decision } from './authorizer.ts';

export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  return {
    name: 'union',
    async authorize(attributes) {
      const reasons: string[] = [];
      const errors: string[] = [];
      for (const authorizer of authorizers) {
        const decision = await authorizer.authorize(attributes);
        if (decision.reason !== '') reasons.push(decision.reason);
        if (decision.error) errors.push(decision.error);
        if (decision.decision !== 'no-opinion') return { ...decision, reason: reasons.join('\n') };
      }
      const undecided: Decision = { decision: 'no-opinion', reason: reasons.join('\n') };
      return errors.length > 0 ? { ...undecided, error: errors.join(', ') } : undecided;
    },
  };
}

/** system:masters may do everything, whatever RBAC says: the way back in when it says something wrong. */
export const mastersAuthorizer: Authorizer = {
  name: 'system:masters',
  authorize: ({ user }) => (user.groups.includes('system:masters') ? { decision: 'allow', reason: '' } : { decision: 'no-opinion', reason: '' }),
};
