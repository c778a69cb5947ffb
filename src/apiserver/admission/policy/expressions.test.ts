import { expect, it } from 'vitest';
import { Budget } from '../../../cel/admission/index.ts';
import type { Authorizer } from '../../authz/authorizer.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { PolicyExpressions, type EvaluationInput } from './expressions.ts';

const attributes = {
  user: { name: 'jane', groups: ['devs'] },
  served: { plural: 'pods', group: '' },
  groupResource: { group: '', resource: 'pods' },
  subresource: '',
  namespace: 'default',
  name: 'p',
} as unknown as AdmissionAttributes;
const input: EvaluationInput = {
  attributes,
  object: { metadata: {} },
  oldObject: null,
  request: {},
  params: null,
  namespaceObject: null,
};

function asking(asked: string[]): Authorizer {
  return {
    name: 'slow',
    authorize: async ({ user, verb, resource, namespace, name, path }) => {
      asked.push([user.name, verb, path || `${namespace}/${resource}/${name}`].join(' '));
      await new Promise((resolve) => setImmediate(resolve));
      return { decision: verb === 'get' ? 'allow' : 'no-opinion', reason: `about ${verb}` };
    },
  };
}

it('waits for a slow authorizer, and calls it once for each check', async () => {
  const asked: string[] = [];
  const expressions = new PolicyExpressions(asking(asked), {
    hasParams: false,
    variables: [{ name: 'may', expression: "authorizer.requestResource.check('get').allowed()" }],
  });
  const expression = expressions.compile(
    "variables.may && authorizer.requestResource.check('get').allowed() && authorizer.serviceAccount('ns', 'bot').path('/x').check('put').reason() == 'about put'",
    { result: 'bool', hasAuthorizer: true },
  );
  expect(expression.error).toBeUndefined();
  const budget = new Budget(10_000_000);
  expect(await expressions.start(input).evaluate(expression, budget)).toEqual({ value: true });
  expect(asked).toEqual(['jane get default/pods/p', 'system:serviceaccount:ns:bot put /x']);
  // Questions that were asked again for want of an answer are not paid for twice.
  expect(10_000_000 - budget.remaining).toBeLessThan(4 * 350_000);
});
