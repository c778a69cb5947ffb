import { describe, expect, it } from 'vitest';
import type { ValidatingAdmissionPolicy } from '../../api/generated/admissionregistration-v1.ts';
import { schema } from '../../api/index.ts';
import {
  AdmissionExpressions,
  compileAdmissionExpression,
  Budget,
  Evaluation,
  OutOfBudgetError,
  toJson,
  typeCheckPolicy,
  type AdmissionVariables,
  type ExpressionOptions,
  type Outcome,
} from './index.ts';

const INPUT: AdmissionVariables = {
  object: { kind: 'ConfigMap', metadata: { name: 'x', labels: { 'a/b': '1' } }, data: { a: '1' } },
  oldObject: null,
  request: { operation: 'CREATE', name: 'x', userInfo: { username: 'jane', groups: ['devs'] }, dryRun: false },
  params: null,
  namespaceObject: { metadata: { name: 'default', labels: { team: 'blue' } }, spec: {}, status: { phase: 'Active' } },
};

const ANY: ExpressionOptions = { result: 'any', hasAuthorizer: false };

function evaluate(source: string, options = ANY, variables: { name: string; expression: string }[] = []): Outcome {
  const expressions = new AdmissionExpressions({ hasParams: true, variables });
  return new Evaluation(expressions, INPUT).evaluate(expressions.compile(source, options), new Budget(1_000_000));
}

describe('expressions', () => {
  const values: [source: string, value: unknown][] = [
    ["object.data.a == '1' && oldObject == null && params == null", true],
    ["request.userInfo.groups.exists(g, g == 'devs')", true],
    ['namespaceObject.metadata.labels.team + namespaceObject.status.phase', 'blueActive'],
    ["object.?spec.orValue('none')", 'none'],
    [
      '[dyn(1), dyn(2.5), dyn(true), dyn(null), dyn(duration("90s")), dyn(timestamp("2026-01-02T03:04:05Z")), dyn(b"hi"), dyn({"a": uint(1)})]',
      [1, 2.5, true, null, '1m30s', '2026-01-02T03:04:05Z', 'aGk=', { a: 1 }],
    ],
  ];
  it.each(values)('%s', (source, value) => {
    const outcome = evaluate(source);
    expect('value' in outcome ? toJson(outcome.value) : outcome).toEqual(value);
  });

  it.each([
    ['object.data.b', "expression 'object.data.b' resulted in error: no such key: b"],
    ['variables.bad', 'composited variable "bad" fails to evaluate: division by zero'],
    [
      'variables.worse',
      'composited variable "worse" fails to compile: compilation failed: ERROR: <input>:1:1: undeclared reference',
    ],
  ])('%s fails', (source, error) => {
    const variables = [
      { name: 'bad', expression: '1 / (size(object.data) - 1)' },
      { name: 'worse', expression: 'nothing' },
    ];
    expect(evaluate(source, ANY, variables)).toEqual({ error: expect.stringContaining(error) as string });
  });

  it('build objects and patches', () => {
    const built = evaluate(
      "Object{metadata: Object.metadata{labels: {'a': object.metadata.name}}, ?spec: optional.none()}",
      { result: 'Object', hasAuthorizer: false },
    );
    expect('value' in built && toJson(built.value)).toEqual({ metadata: { labels: { a: 'x' } } });
    const patch = evaluate(
      "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b~c'), value: 1}]",
      { result: 'JSONPatches', hasAuthorizer: false },
    );
    expect('value' in patch && toJson(patch.value)).toEqual([
      { op: 'add', path: '/metadata/labels/a~1b~0c', value: 1 },
    ]);
    expect(
      evaluate('Object{spec: Object.spec{list: [Object.spec.other{}]}}', { result: 'Object', hasAuthorizer: false }),
    ).toEqual({
      error:
        'type mismatch: unexpected type name "Object.spec.other", expected "Object.spec.list", which matches field name path from root Object type',
    });
  });

  it('share a budget with the variables that they use', () => {
    const variables = [{ name: 'many', expression: 'lists.range(200).map(i, i * 2)' }];
    const expressions = new AdmissionExpressions({ hasParams: false, variables });
    const expression = expressions.compile('size(variables.many) == 200', { result: 'bool', hasAuthorizer: false });
    const budget = new Budget(5000);
    const run = new Evaluation(expressions, INPUT);
    expect(run.evaluate(expression, budget)).toEqual({ value: true });
    const spent = 5000 - budget.remaining;
    // What is computed already costs nothing more.
    run.evaluate(expression, budget);
    expect(5000 - budget.remaining - spent).toBeLessThan(spent / 10);
    expect(() => new Evaluation(expressions, INPUT).evaluate(expression, new Budget(100))).toThrow(OutOfBudgetError);
  });
});

describe('problems of expressions', () => {
  const cases: [
    name: string,
    expression: string,
    use: Parameters<typeof compileAdmissionExpression>[0]['use'],
    problem: string | undefined,
  ][] = [
    ['a condition', 'object.x > 1', 'matchCondition', undefined],
    ['a condition that is no bool', '1', 'validation', 'must evaluate to bool but got int'],
    ['a message that is no string', 'object.x', 'messageExpression', 'must evaluate to string but got dyn'],
    ['an annotation of another type', '1', 'auditAnnotation', 'must evaluate to one of [string null_type] but got int'],
    ['an annotation of none', 'null', 'auditAnnotation', undefined],
    ['an object', 'Object{}', 'applyConfiguration', undefined],
    ['no object', '{}', 'applyConfiguration', 'must evaluate to Object but got map(dyn, dyn)'],
    ['a field of a patch that is none', "[JSONPatch{nope: 'a'}]", 'jsonPatch', "undefined field 'nope'"],
    ['an object where there are none', 'Object{} == null', 'validation', "undeclared reference to 'Object'"],
    ['params that there are not', 'params.x == 1', 'validation', "undeclared reference to 'params' (in container '')"],
    ['an unknown field of the request', "request.object == ''", 'validation', "undefined field 'object'"],
  ];
  it.each(cases)('%s', (_, expression, use, problem) => {
    const { error } = compileAdmissionExpression({
      expression,
      use,
      hasParams: false,
      hasAuthorizer: true,
      variables: [],
    });
    expect(error?.detail).toEqual(problem === undefined ? undefined : (expect.stringContaining(problem) as string));
  });
});

describe('type checks', () => {
  const policy = (
    resources: string[],
    ...validations: { expression: string; messageExpression?: string }[]
  ): ValidatingAdmissionPolicy =>
    ({
      metadata: {},
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], resources, operations: ['*'] }],
        },
        validations,
      },
    }) as ValidatingAdmissionPolicy;
  const check = (checked: ValidatingAdmissionPolicy): { fieldRef: string; warning: string }[] =>
    typeCheckPolicy(checked, (group, version, plural) => schema.resource(group, version, plural));

  it('report nothing for valid expressions', () => {
    expect(
      check(
        policy(['deployments'], {
          expression:
            "object.spec.replicas > 1 && object.metadata.labels['a'] == 'b' && object.spec.template.spec.containers.all(c, c.image != '')",
        }),
      ),
    ).toEqual([]);
  });

  it('report unknown fields and wrong operators', () => {
    const [first, second] = check(
      policy(['deployments'], {
        expression: "object.spec.replicas > 'x'",
        messageExpression: 'string(object.nothing)',
      }),
    );
    expect(first).toEqual({
      fieldRef: 'spec.validations[0].expression',
      warning:
        "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'\n | object.spec.replicas > 'x'\n | .....................^\n",
    });
    expect(second?.fieldRef).toBe('spec.validations[0].messageExpression');
    expect(second?.warning).toContain("undefined field 'nothing'");
  });

  it('look at every kind that the rules name, but at no wildcard and no subresource', () => {
    const replicas = { expression: 'object.spec.replicas > 1' };
    expect(check(policy(['deployments', 'daemonsets'], replicas)).map(({ warning }) => warning)).toEqual([
      expect.stringMatching(/^apps\/v1, Kind=DaemonSet: .*undefined field 'replicas'/),
    ]);
    expect(check(policy(['*', 'daemonsets/status'], replicas))).toEqual([]);
  });
});
