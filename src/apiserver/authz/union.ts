/** The union of authorizers: tries them in order until one decides. Also system:masters, AlwaysAllow and AlwaysDeny. */
import type { PolicyRule } from '../../api/generated/rbac-v1.ts';
import { append } from '../../base/index.ts';
import type { MetricsRegistry } from '../../kernel/index.ts';
import type { UserInfo } from '../request/request.ts';
import {
  ALLOW,
  NO_OPINION,
  type AuthorizationAttributes,
  type Authorizer,
  type AuthorizerAnswer,
  type Decision,
  type ResolvedRules,
} from './authorizer.ts';

export class UnionAuthorizer implements Authorizer {
  readonly name = 'union';

  readonly #metrics: MetricsRegistry | undefined;
  #chain: Chain;

  constructor(authorizers: readonly Authorizer[], metrics?: MetricsRegistry) {
    this.#metrics = metrics;
    this.#chain = chainOf(authorizers, metrics);
  }

  /** From now on these decide on new requests. */
  use(authorizers: readonly Authorizer[]): void {
    this.#chain = chainOf(authorizers, this.#metrics);
  }

  /** Returns a promise only if an authorizer does. */
  authorize(attributes: AuthorizationAttributes): Decision | Promise<Decision> {
    return authorizeFrom(this.#chain, attributes, 0, NO_OPINION);
  }

  /** Asks one after the other, as `authorize` does, and keeps every answer. */
  async answers(attributes: AuthorizationAttributes): Promise<AuthorizerAnswer[]> {
    const answers: AuthorizerAnswer[] = [];
    let isDecided = false;
    for (const authorizer of this.#chain.authorizers) {
      if (authorizer.concerns?.(attributes) === false) continue;
      if (isDecided) {
        answers.push({ authorizer: authorizer.name, decision: 'not-asked', reason: '' });
        continue;
      }
      const decision = await authorizer.authorize(attributes);
      isDecided = decision.decision !== 'no-opinion';
      answers.push({ authorizer: authorizer.name, ...decision, ...authorizer.explain?.(attributes) });
    }
    return answers;
  }

  rulesFor(user: UserInfo, namespace: string): ResolvedRules {
    const rules: PolicyRule[] = [];
    const errors: string[] = [];
    let incomplete = false;
    for (const authorizer of this.#chain.authorizers) {
      const found = authorizer.rulesFor?.(user, namespace);
      if (!found) continue;
      append(rules, found.rules);
      incomplete ||= found.incomplete;
      if (found.error) errors.push(found.error);
    }
    return {
      rules,
      incomplete,
      ...(errors.length > 0 ? { error: errors.length === 1 ? errors[0]! : `[${errors.join(', ')}]` } : {}),
    };
  }
}

interface Chain {
  readonly authorizers: readonly Authorizer[];
  readonly counters: readonly DecisionCounter[];
}

const chainOf = (authorizers: readonly Authorizer[], metrics: MetricsRegistry | undefined): Chain => ({
  authorizers,
  counters: authorizers.map(({ name }) => decisionCounter(name, metrics)),
});

function authorizeFrom(
  chain: Chain,
  attributes: AuthorizationAttributes,
  from: number,
  before: Decision,
): Decision | Promise<Decision> {
  let combined = before;
  for (let i = from; i < chain.authorizers.length; i++) {
    const answer = chain.authorizers[i]!.authorize(attributes);
    if (answer instanceof Promise) {
      const earlier = combined;
      return answer.then((decision) =>
        decision.decision === 'no-opinion'
          ? authorizeFrom(chain, attributes, i + 1, join(earlier, decision))
          : decide(chain, i, decision),
      );
    }
    if (answer.decision !== 'no-opinion') return decide(chain, i, answer);
    combined = join(combined, answer);
  }
  return combined;
}

function decide({ counters }: Chain, authorizer: number, decision: Decision): Decision {
  counters[authorizer]!(decision.decision === 'allow');
  return decision;
}

type DecisionCounter = (allowed: boolean) => void;

const BUILT_IN = new Set(['Node', 'RBAC', 'ABAC', 'AlwaysAllow', 'AlwaysDeny', 'system:masters', 'local APIs']);

function decisionCounter(name: string, metrics: MetricsRegistry | undefined): DecisionCounter {
  const counter = metrics?.counter({
    name: 'apiserver_authorization_decisions_total',
    help: 'Decisions of authorizers, by type, name and decision.',
    labels: ['type', 'name', 'decision'],
  });
  if (!counter) return () => {};
  const type = BUILT_IN.has(name) ? name : 'Webhook';
  const allowed = counter.child({ type, name, decision: 'allowed' });
  const denied = counter.child({ type, name, decision: 'denied' });
  return (isAllowed) => (isAllowed ? allowed : denied).inc();
}

function join(a: Decision, b: Decision): Decision {
  if (b.reason === '' && !b.error) return a;
  const reason = a.reason === '' || b.reason === '' ? a.reason + b.reason : `${a.reason}\n${b.reason}`;
  const error = a.error && b.error ? `${a.error}, ${b.error}` : (a.error ?? b.error);
  return { decision: 'no-opinion', reason, ...(error ? { error } : {}) };
}

/** system:masters may do everything, so that administrators can repair a broken RBAC configuration. */
export const mastersAuthorizer: Authorizer = {
  name: 'system:masters',
  authorize: ({ user }) => (user.groups.includes('system:masters') ? ALLOW : NO_OPINION),
};

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

export const alwaysAllow: Authorizer = {
  name: 'AlwaysAllow',
  authorize: () => ALLOW,
  rulesFor: () => ({ rules: EVERYTHING, incomplete: false }),
};

export const alwaysDeny: Authorizer = {
  name: 'AlwaysDeny',
  authorize: () => ({ decision: 'no-opinion', reason: 'Everything is forbidden.' }),
  rulesFor: () => ({ rules: [], incomplete: false }),
};
