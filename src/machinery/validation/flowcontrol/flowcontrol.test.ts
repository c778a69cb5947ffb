import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import { createErrors, updateErrors, type Case } from '../testing/cases.ts';
import { MANDATORY_FLOW_SCHEMAS } from './mandatory.ts';

const flowcontrol = (plural: string) => ({
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  plural,
  namespaced: false,
});

describe('FlowSchemas', () => {
  const kind = flowcontrol('flowschemas');
  const resourceRule: JsonObject = { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['default'] };
  const rule: JsonObject = { subjects: [{ kind: 'User', user: { name: 'ann' } }], resourceRules: [resourceRule] };
  const right: JsonObject = {
    metadata: { name: 'f' },
    spec: { matchingPrecedence: 500, priorityLevelConfiguration: { name: 'global' }, rules: [rule] },
    status: {},
  };
  const rules = (change: JsonObject): JsonObject => ({ spec: { rules: [{ ...rule, ...change }] } });
  const resources = (change: JsonObject): JsonObject => rules({ resourceRules: [{ ...resourceRule, ...change }] });
  const urls = (...list: string[]): JsonObject =>
    rules({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs: list }] });
  const cases: Case[] = [
    ['right', {}, []],
    [
      'precedence of the exempt',
      { spec: { matchingPrecedence: 1 } },
      ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
    ],
    [
      'precedence too high',
      { spec: { matchingPrecedence: 10001 } },
      ['spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000'],
    ],
    [
      'no level',
      { spec: { priorityLevelConfiguration: { name: null } } },
      ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level'],
    ],
    [
      'nobody',
      rules({ subjects: [] }),
      ['spec.rules[0].subjects: Required value: subjects must contain at least one value'],
    ],
    [
      'nothing',
      rules({ resourceRules: [] }),
      ['spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty'],
    ],
    [
      'a group under another name',
      rules({ subjects: [{ kind: 'Group', user: { name: 'a' } }] }),
      [
        "spec.rules[0].subjects[0].group: Required value: group is required when subject kind is 'Group'",
        "spec.rules[0].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
      ],
    ],
    [
      'all verbs and one',
      resources({ verbs: ['*', 'get'] }),
      [
        'spec.rules[0].resourceRules[0].verbs: Invalid value: ["*","get"]: if \'*\' is present, must not specify other verbs',
      ],
    ],
    [
      'a verb of no use',
      resources({ verbs: ['look'] }),
      [
        'spec.rules[0].resourceRules[0].verbs: Unsupported value: ["look"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
      ],
    ],
    [
      'no namespace',
      resources({ namespaces: [] }),
      [
        'spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace',
      ],
    ],
    [
      'star in the middle',
      urls('/a/*/b'),
      [
        'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "/a/*/b": wildcard can only do suffix matching',
      ],
    ],
    [
      'relative URL',
      urls('a'),
      ['spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "a": must start with slash'],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('that every server has stay as they are', () => {
    const catchAll = {
      metadata: { name: 'catch-all' },
      spec: structuredClone(MANDATORY_FLOW_SCHEMAS['catch-all']) as unknown as JsonObject,
      status: {},
    };
    expect(updateErrors(kind, catchAll, {})).toEqual([]);
    expect(updateErrors(kind, catchAll, { spec: { matchingPrecedence: 9999 } })[0]).toMatch(
      /^spec: Invalid value: \{.*\}: spec of 'catch-all' must equal the fixed value$/,
    );
  });
});

describe('PriorityLevelConfigurations', () => {
  const kind = flowcontrol('prioritylevelconfigurations');
  const queuing: JsonObject = { queues: 64, handSize: 6, queueLengthLimit: 50 };
  const right: JsonObject = {
    metadata: { name: 'p' },
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 30, limitResponse: { type: 'Queue', queuing } } },
    status: {},
  };
  const queue = (change: JsonObject): JsonObject => ({ spec: { limited: { limitResponse: { queuing: change } } } });
  const AT = 'spec.limited.limitResponse.queuing';
  const cases: Case[] = [
    ['right', {}, []],
    [
      'exempt by type alone',
      { spec: { type: 'Exempt', limited: null } },
      ["spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'"],
    ],
    ['no type', { spec: { type: null } }, ['spec.type: Required value']],
    [
      'no limits',
      { spec: { limited: null } },
      ['spec.limited: Required value: must not be empty when type is Limited'],
    ],
    [
      'negative shares',
      { spec: { limited: { nominalConcurrencyShares: -1 } } },
      ['spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer'],
    ],
    [
      'lends too much',
      { spec: { limited: { lendablePercent: 101 } } },
      ['spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive'],
    ],
    [
      'borrows a negative share',
      { spec: { limited: { borrowingLimitPercent: -1 } } },
      ['spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer'],
    ],
    [
      'rejects into a queue',
      { spec: { limited: { limitResponse: { type: 'Reject' } } } },
      [`${AT}: Forbidden: must be nil if limited.limitResponse.type is not Limited`],
    ],
    [
      'a hand larger than the deck',
      queue({ queues: 4 }),
      [`${AT}.handSize: Invalid value: 6: should not be greater than queues (4)`],
    ],
    [
      'more entropy than a hash has',
      queue({ queues: 4096 }),
      [
        `${AT}.handSize: Invalid value: 6: required entropy bits of deckSize 4096 and handSize 6 should not be greater than 60`,
      ],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('only the lendable shares of the exempt level may change', () => {
    const exempt = {
      metadata: { name: 'exempt' },
      spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
      status: {},
    };
    expect(updateErrors(kind, exempt, { spec: { exempt: { lendablePercent: 50 } } })).toEqual([]);
  });
});
