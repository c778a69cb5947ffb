import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import type { CelCompiler } from '../cel-compiler.ts';
import { createErrors, updateErrors, type Case } from '../testing/cases.ts';

const admission = (plural: string) => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural,
  namespaced: false,
});
const rule: JsonObject = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };

describe('webhook configurations', () => {
  const kind = admission('validatingwebhookconfigurations');
  const hook: JsonObject = {
    name: 'a.b.io',
    rules: [rule],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    clientConfig: { service: { namespace: 'n', name: 's', port: 443 } },
  };
  const right: JsonObject = { metadata: { name: 'w' }, webhooks: [hook] };
  const hooks = (change: JsonObject): JsonObject => ({ webhooks: [{ ...hook, ...change }] });
  const rules = (change: JsonObject): JsonObject => hooks({ rules: [{ ...rule, ...change }] });
  const url = (text: string): JsonObject => hooks({ clientConfig: { url: text } });
  const FORM = '; desired format: https://host[/path]';
  const cases: Case[] = [
    ['right', {}, []],
    [
      'a short name',
      hooks({ name: 'a.b' }),
      ['webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots'],
    ],
    ['the same name twice', { webhooks: [hook, hook] }, ['webhooks[1].name: Duplicate value: "a.b.io"']],
    [
      'side effects',
      hooks({ sideEffects: 'Some' }),
      ['webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
    ],
    [
      'a version that nobody speaks',
      hooks({ admissionReviewVersions: ['v9'] }),
      ['webhooks[0].admissionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1'],
    ],
    [
      'slow',
      hooks({ timeoutSeconds: 31 }),
      ['webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds'],
    ],
    [
      'all resources and one',
      rules({ resources: ['*', 'pods'] }),
      [
        'webhooks[0].rules[0].resources: Invalid value: ["*","pods"]: if \'*\' is present, must not specify other resources without subresources',
      ],
    ],
    [
      'all subresources and one',
      rules({ resources: ['pods/*', 'pods/log'] }),
      [
        'webhooks[0].rules[0].resources[1]: Invalid value: "pods/log": if \'pods/*\' is present, must not specify pods/log',
      ],
    ],
    ['no versions', rules({ apiVersions: [] }), ['webhooks[0].rules[0].apiVersions: Required value']],
    [
      'nobody to call',
      hooks({ clientConfig: {} }),
      ['webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
    ],
    [
      'no TLS',
      url('http://a'),
      [`webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme${FORM}`],
    ],
    [
      'a password',
      url('https://u:p@a'),
      ['webhooks[0].clientConfig.url: Invalid value: "u:p": user information is not permitted in the URL'],
    ],
    [
      'no URL',
      url('::'),
      [
        `webhooks[0].clientConfig.url: Required value: url must be a valid URL: parse "::": missing protocol scheme${FORM}`,
      ],
    ],
    [
      'a path with holes',
      hooks({ clientConfig: { service: { namespace: 'n', name: 's', port: 443, path: '/a//b' } } }),
      ['webhooks[0].clientConfig.service.path: Invalid value: "/a//b": segment[1] may not be empty'],
    ],
    [
      'a condition twice',
      hooks({
        matchConditions: [
          { name: 'a', expression: 'true' },
          { name: 'a', expression: 'true' },
        ],
      }),
      ['webhooks[0].matchConditions[1].name: Duplicate value: "a"'],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('accept stored invalid values', () => {
    const stored = { ...right, webhooks: [{ ...hook, sideEffects: 'Some' }] };
    expect(updateErrors(kind, stored, { metadata: { labels: { a: 'b' } } })).toEqual([]);
  });
});

/** Refuses expressions with the word `bad`. */
const cel: CelCompiler = {
  compileAdmissionExpression: ({ expression }) => compiled(expression),
  compileDeviceSelector: compiled,
  compileSchemaRule: ({ expression }) => compiled(expression),
};
function compiled(expression: string) {
  const wrong = expression.includes('bad') ? { error: { type: 'invalid', detail: 'does not compile' } as const } : {};
  return { maxCost: 1, maxCardinality: 1, usesOldSelf: false, ...wrong };
}

describe('policies', () => {
  const matchConstraints: JsonObject = {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    resourceRules: [rule],
  };
  const kind = { ...admission('validatingadmissionpolicies'), context: { cel } };
  const right: JsonObject = {
    metadata: { name: 'p' },
    spec: { failurePolicy: 'Fail', matchConstraints, validations: [{ expression: 'true' }] },
  };
  const validation = (change: JsonObject): JsonObject => ({
    spec: { validations: [{ expression: 'true', ...change }] },
  });
  const NOTHING = 'validations or auditAnnotations must contain at least one item';
  const cases: Case[] = [
    ['right', {}, []],
    [
      'nothing to check',
      { spec: { validations: [] } },
      [`spec.validations: Required value: ${NOTHING}`, `spec.auditAnnotations: Required value: ${NOTHING}`],
    ],
    ['about nothing', { spec: { matchConstraints: null } }, ['spec.matchConstraints: Required value']],
    [
      'parameters of no kind',
      { spec: { paramKind: { apiVersion: 'a/b/c' } } },
      [
        'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        'spec.paramKind.kind: Required value',
      ],
    ],
    [
      'an expression that does not compile',
      validation({ expression: 'bad' }),
      ['spec.validations[0].expression: Invalid value: "bad": does not compile'],
    ],
    [
      'a message in two lines',
      validation({ message: 'a\nb' }),
      ['spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks'],
    ],
    [
      'a message of spaces',
      validation({ message: '  ' }),
      ['spec.validations[0].message: Invalid value: "  ": must be non-empty if specified'],
    ],
    [
      'a reason',
      validation({ reason: 'Whim' }),
      [
        'spec.validations[0].reason: Unsupported value: "Whim": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      ],
    ],
    [
      'a variable that is a word of CEL',
      { spec: { variables: [{ name: 'in', expression: '1' }] } },
      ['spec.variables[0].name: Invalid value: "in": must be a valid CEL identifier'],
    ],
    [
      'an annotation twice',
      {
        spec: {
          auditAnnotations: [
            { key: 'k', valueExpression: "'a'" },
            { key: 'k', valueExpression: "'a'" },
          ],
        },
      },
      ['spec.auditAnnotations[1].key: Duplicate value: "k"'],
    ],
    [
      'the same resource name twice',
      { spec: { matchConstraints: { resourceRules: [{ ...rule, resourceNames: ['a', 'a'] }] } } },
      ['spec.matchConstraints.resourceRules[0].resourceNames[1]: Duplicate value: "a"'],
    ],
  ];
  it.each(cases)('validating: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('do not compile match conditions again that are as they were', () => {
    const stored = {
      ...right,
      spec: { ...(right['spec'] as JsonObject), matchConditions: [{ name: 'c', expression: 'bad' }] },
    };
    expect(updateErrors(kind, stored, { metadata: { labels: { a: 'b' } } })).toEqual([]);
  });

  const mutating = admission('mutatingadmissionpolicies');
  const mutation: JsonObject = {
    metadata: { name: 'm' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints,
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[]' } }],
    },
  };
  const mutations: Case[] = [
    ['none', { spec: { mutations: [] } }, ['spec.mutations: Required value: mutations must contain at least one item']],
    [
      'without an expression',
      { spec: { mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: ' ' } }] } },
      ['spec.mutations[0].jsonPatch.expression: Required value'],
    ],
    [
      'of what is deleted',
      {
        spec: {
          matchConstraints: {
            resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['pods'] }],
          },
        },
      },
      [
        'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      ],
    ],
    ['right', {}, []],
    [
      'odd patch',
      { spec: { mutations: [{ patchType: 'Odd' }] } },
      ['spec.mutations[0].patchType: Unsupported value: "Odd": supported values: "ApplyConfiguration", "JSONPatch"'],
    ],
    [
      'the other patch',
      { spec: { mutations: [{ patchType: 'ApplyConfiguration', jsonPatch: { expression: '[]' } }] } },
      [
        'spec.mutations[0].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration',
        'spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
      ],
    ],
    [
      'again, sometimes',
      { spec: { reinvocationPolicy: 'Odd' } },
      ['spec.reinvocationPolicy: Unsupported value: "Odd": supported values: "IfNeeded", "Never"'],
    ],
  ];
  it.each(mutations)('mutating: %s', (_name, change, errors) => {
    expect(createErrors(mutating, mutation, change)).toEqual(errors);
  });
});

describe('bindings', () => {
  const kind = admission('validatingadmissionpolicybindings');
  const right: JsonObject = { metadata: { name: 'b' }, spec: { policyName: 'p', validationActions: ['Deny'] } };
  const paramRef = (change: JsonObject): JsonObject => ({
    spec: { paramRef: { name: 'n', parameterNotFoundAction: 'Deny', ...change } },
  });
  const cases: Case[] = [
    ['right', paramRef({}), []],
    ['no policy', { spec: { policyName: null } }, ['spec.policyName: Required value']],
    [
      'no action',
      { spec: { validationActions: [] } },
      ['spec.validationActions: Required value: at least one validation action is required'],
    ],
    [
      'a name and a selector',
      paramRef({ selector: {} }),
      [
        'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
      ],
    ],
    [
      'no word on what is not found',
      paramRef({ parameterNotFoundAction: null }),
      ['spec.paramRef.parameterNotFoundAction: Required value'],
    ],
  ];
  it.each(cases)('%s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
});
