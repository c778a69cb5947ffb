import { describe, expect, it } from 'vitest';
import { Budget, OutOfBudgetError } from '../../../cel/admission/index.ts';
import type { Authorizer } from '../../authz/authorizer.ts';
import { answerTo } from '../../stage-thread/answer.ts';
import { Definitions } from '../../stage-thread/definitions.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { type EvaluationInput, type ExpressionServices, PolicyExpressions } from './expressions.ts';

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

/** As the thread of stages answers. */
function threadOf(runs: boolean, asked: string[] = []): ExpressionServices['stages'] {
  return {
    runs,
    run: async (stage, given) => {
      asked.push(stage);
      const answer = answerTo({ id: 1, stage, input: structuredClone(given) }, new Definitions());
      if (!('output' in answer)) throw new Error(JSON.stringify(answer));
      return structuredClone(answer.output);
    },
  };
}

const servicesWith = (authorizer: Authorizer, stages = threadOf(false)): ExpressionServices => ({
  authorizer,
  stages,
  clock: { yield: async () => undefined },
});

const BOOL = { result: 'bool', hasAuthorizer: true } as const;

it('waits for a slow authorizer, and calls it once for each check', async () => {
  const asked: string[] = [];
  const expressions = new PolicyExpressions(servicesWith(asking(asked)), {
    hasParams: false,
    variables: [{ name: 'may', expression: "authorizer.requestResource.check('get').allowed()" }],
  });
  const expression = expressions.compile(
    "variables.may && authorizer.requestResource.check('get').allowed() && authorizer.serviceAccount('ns', 'bot').path('/x').check('put').reason() == 'about put'",
    BOOL,
  );
  expect(expression.error).toBeUndefined();
  const budget = new Budget(10_000_000);
  expect(await expressions.evaluate(input, [expression], budget)).toEqual([{ value: true }]);
  expect(asked).toEqual(['jane get default/pods/p', 'system:serviceaccount:ns:bot put /x']);
  // Questions that were asked again for want of an answer are not paid for twice.
  expect(10_000_000 - budget.remaining).toBeLessThan(4 * 350_000);
});

describe('costly expressions', () => {
  const COSTLY = 'lists.range(300).all(a, lists.range(30).all(b, a + b >= 0))';
  const sources = [
    'variables.costly && object.metadata.name == "p" && request.operation == "CREATE"',
    COSTLY,
    "authorizer.requestResource.check('get').allowed()",
    "authorizer.requestResource.check('put').allowed()",
    'object.metadata.nothing == 1',
  ];
  const given: EvaluationInput = {
    ...input,
    object: { metadata: { name: 'p', generation: 2n ** 60n } },
    request: { operation: 'CREATE' },
  };

  async function outcomesWith(
    stages: ExpressionServices['stages'],
    budget: Budget,
    expressionsOf: readonly string[] = sources,
  ): Promise<{ outcomes: unknown; asked: string[] }> {
    const asked: string[] = [];
    const expressions = new PolicyExpressions(servicesWith(asking(asked), stages), {
      hasParams: false,
      variables: [{ name: 'costly', expression: COSTLY }],
    });
    const compiled = expressionsOf.map((source) => expressions.compile(source, BOOL));
    return {
      outcomes: await expressions.evaluate({ ...given, attributes: { ...attributes } }, compiled, budget),
      asked,
    };
  }

  it('have the same outcomes and costs in the thread', async () => {
    const stagesAsked: string[] = [];
    const [here, there] = [new Budget(10_000_000), new Budget(10_000_000)];
    const expected = await outcomesWith(threadOf(false), here);
    const actual = await outcomesWith(threadOf(true, stagesAsked), there);
    expect(expected.outcomes).toMatchObject([
      { value: true },
      { value: true },
      { value: true },
      { value: false },
      { error: expect.stringContaining('no such key: nothing') as string },
    ]);
    expect(actual).toEqual(expected);
    expect(there.remaining).toBe(here.remaining);
    // Once for each decision that it did not know, and once with all of them.
    expect(stagesAsked).toEqual(['evaluate', 'evaluate', 'evaluate']);
  });

  it('exceed the budget in the thread, too', async () => {
    await expect(outcomesWith(threadOf(true), new Budget(100_000))).rejects.toThrow(OutOfBudgetError);
  });

  it('stay on the main thread when only the checks of the authorizer cost much', async () => {
    const stagesAsked: string[] = [];
    const stages = threadOf(true, stagesAsked);
    const cheap = ["authorizer.requestResource.check('get').allowed()", 'object.metadata.name == "p"'];
    await outcomesWith(stages, new Budget(10_000_000), cheap);
    expect(stagesAsked).toEqual([]);
  });

  it('let other requests run between policies', async () => {
    const yields: number[] = [];
    const expressions = new PolicyExpressions(
      { ...servicesWith(asking([]), threadOf(true)), clock: { yield: async () => void yields.push(1) } },
      { hasParams: false },
    );
    // About a third of what a turn allows.
    const expression = expressions.compile('lists.range(1000).all(a, a + 1 > a && a + 2 > a)', BOOL);
    for (let i = 0; i < 6; i++) await expressions.evaluate(given, [expression], new Budget(10_000_000));
    expect(yields.length).toBeGreaterThan(0);
  });
});
