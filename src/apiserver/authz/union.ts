/** Asks authorizers in order until one decides. */
import type { PolicyRule } from '../../api/generated/rbac-v1.ts';
import { ALLOW, NO_OPINION, type AuthorizationAttributes, type Authorizer, type Decision, type ResolvedRules } from './authorizer.ts';
import type { UserInfo } from '../request.ts';

export class UnionAuthorizer implements Authorizer {
  readonly name = 'union';

  constructor(private readonly authorizers: readonly Authorizer[]) {}

  /** Without a promise as long as those asked know the answer at once. */
  authorize(attributes: AuthorizationAttributes): Decision | Promise<Decision> {
    return this.#ask(attributes, 0, NO_OPINION);
  }

  #ask(attributes: AuthorizationAttributes, from: number, before: Decision): Decision | Promise<Decision> {
    let gathered = before;
    for (let i = from; i < this.authorizers.length; i++) {
      const answer = this.authorizers[i]!.authorize(attributes);
      if (answer instanceof Promise) {
        const sofar = gathered;
        return answer.then((decision) => (decision.decision === 'no-opinion' ? this.#ask(attributes, i + 1, join(sofar, decision)) : decision));
      }
      if (answer.decision !== 'no-opinion') return answer;
      gathered = join(gathered, answer);
    }
    return gathered;
  }

  rulesFor(user: UserInfo, namespace: string): ResolvedRules {
    const rules: PolicyRule[] = [];
    const errors: string[] = [];
    let incomplete = false;
    for (const authorizer of this.authorizers) {
      const found = authorizer.rulesFor?.(user, namespace);
      if (!found) continue;
      rules.push(...found.rules);
      incomplete ||= found.incomplete;
      if (found.error) errors.push(found.error);
    }
    return { rules, incomplete, ...(errors.length > 0 ? { error: errors.length === 1 ? errors[0]! : `[${errors.join(', ')}]` } : {}) };
  }
}

function join(a: Decision, b: Decision): Decision {
  if (b.reason === '' && !b.error) return a;
  const reason = a.reason === '' || b.reason === '' ? a.reason + b.reason : `${a.reason}\n${b.reason}`;
  const error = a.error && b.error ? `${a.error}, ${b.error}` : (a.error ?? b.error);
  return { decision: 'no-opinion', reason, ...(error ? { error } : {}) };
}

/** system:masters may do everything, whatever RBAC says: the way back in when it says something wrong. */
export const mastersAuthorizer: Authorizer = {
  name: 'system:masters',
  authorize: ({ user }) => (user.groups.includes('system:masters') ? ALLOW : NO_OPINION),
};

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

export const alwaysAllow: Authorizer = { name: 'AlwaysAllow', authorize: () => ALLOW, rulesFor: () => ({ rules: EVERYTHING, incomplete: false }) };

export const alwaysDeny: Authorizer = {
  name: 'AlwaysDeny',
  authorize: () => ({ decision: 'no-opinion', reason: 'Everything is forbidden.' }),
  rulesFor: () => ({ rules: [], incomplete: false }),
};
