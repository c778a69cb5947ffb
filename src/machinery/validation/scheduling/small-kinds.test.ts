import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import { DEFAULT_VALIDATION_CONTEXT, validateBody } from '../index.ts';
import { createErrors, statusErrors, updateErrors, type Case } from '../testing/cases.ts';

describe('PriorityClasses', () => {
  const kind = { group: 'scheduling.k8s.io', version: 'v1', plural: 'priorityclasses', namespaced: false };
  const right: JsonObject = { metadata: { name: 'p' }, value: 5, preemptionPolicy: 'Never' };
  const reserved =
    "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error:";
  const cases: Case[] = [
    ['right', {}, []],
    [
      'too high',
      { value: 1000000001 },
      ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
    ],
    [
      'a name of the system',
      { metadata: { name: 'system-x' } },
      [`${reserved} system-x is not a known system priority class`],
    ],
    [
      'a value of the system',
      { metadata: { name: 'system-node-critical' } },
      [`${reserved} value of system-node-critical PriorityClass must be 2000001000`],
    ],
    [
      'preemption',
      { preemptionPolicy: 'Always' },
      ['preemptionPolicy: Unsupported value: "Always": supported values: "PreemptLowerPriority", "Never"'],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('keep their value', () => {
    expect(updateErrors(kind, right, { value: 6 })).toEqual(['value: Forbidden: may not be changed in an update.']);
  });
});

describe('Leases', () => {
  const kind = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', namespaced: true };
  const right: JsonObject = { metadata: { name: 'l', namespace: 'default' }, spec: { leaseDurationSeconds: 15 } };
  it('last some time', () => {
    expect(createErrors(kind, right, { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } })).toEqual([
      'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
      'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
  it('look at strategies only behind the gate', () => {
    const change = { spec: { preferredHolder: 'x' } };
    expect(createErrors(kind, right, change)).toEqual([]);
    expect(
      createErrors({ ...kind, context: { features: { CoordinatedLeaderElection: true } } }, right, change),
    ).toEqual(['spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined']);
  });
});

describe('RuntimeClasses', () => {
  const kind = { group: 'node.k8s.io', version: 'v1', plural: 'runtimeclasses', namespaced: false };
  const right: JsonObject = { metadata: { name: 'r' }, handler: 'runc' };
  const toleration = { key: 'k', operator: 'Exists' };
  const cases: Case[] = [
    ['right', {}, []],
    ['no handler', { handler: null }, ['handler: Required value']],
    ['a handler with dots', { handler: 'a.b' }, ['handler: Invalid value: "a.b": must not contain dots']],
    [
      'overhead below zero',
      { overhead: { podFixed: { cpu: '-1' } } },
      ['overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
    ],
    [
      'a toleration twice',
      { scheduling: { tolerations: [toleration, toleration] } },
      [
        'scheduling.tolerations[1]: Duplicate value: {"Key":"k","Operator":"Exists","Value":"","Effect":"","TolerationSeconds":null}',
      ],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('keep their handler', () => {
    expect(updateErrors(kind, right, { handler: 'kata' })).toEqual([
      'handler: Invalid value: "kata": field is immutable',
    ]);
  });
});

describe('APIServices', () => {
  const kind = { group: 'apiregistration.k8s.io', version: 'v1', plural: 'apiservices', namespaced: false };
  const right: JsonObject = {
    metadata: { name: 'v1.x.io' },
    spec: {
      group: 'x.io',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 10,
      service: { namespace: 'n', name: 's', port: 443 },
    },
    status: {},
  };
  const cases: Case[] = [
    ['right', {}, []],
    [
      'another name',
      { metadata: { name: 'v1.y.io' } },
      ['metadata.name: Invalid value: "v1.y.io": must be `spec.version+"."+spec.group`: "v1.x.io"'],
    ],
    [
      'priorities',
      { spec: { groupPriorityMinimum: 0, versionPriority: 1001 } },
      [
        'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000',
        'spec.versionPriority: Invalid value: 1001: must be positive and less than 1000',
      ],
    ],
    [
      'local with trust',
      { spec: { service: null, caBundle: 'YWJj' } },
      ['spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle'],
    ],
    [
      'port',
      { spec: { service: { port: 0 } } },
      ['spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive'],
    ],
    [
      'insecure and with trust',
      { spec: { insecureSkipTLSVerify: true, caBundle: 'YWJj' } },
      ['spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present'],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('have conditions that hold or do not', () => {
    expect(statusErrors(kind, right, { status: { conditions: [{ type: 'Available', status: 'Maybe' }] } })).toEqual([
      'status.conditions[0].status: Unsupported value: "Maybe": supported values: "True", "False", "Unknown"',
    ]);
  });
});

describe('reviews and tokens', () => {
  const review = (plural: string) => ({ group: 'authorization.k8s.io', version: 'v1', plural, namespaced: false });
  const right: JsonObject = {
    metadata: {},
    spec: { user: 'ann', resourceAttributes: { verb: 'get', resource: 'pods' } },
  };
  const cases: Case[] = [
    ['right', {}, []],
    [
      'nobody',
      { spec: { user: null } },
      ['spec.user: Invalid value: "": at least one of user or group must be specified'],
    ],
    [
      'nothing',
      { spec: { resourceAttributes: null } },
      [
        'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ],
    ],
    [
      'two things',
      { spec: { nonResourceAttributes: { path: '/x', verb: 'get' } } },
      [
        'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes',
      ],
    ],
    ['with a name', { metadata: { name: 'x' } }, ['metadata: Invalid value: {"name":"x"}: must be empty']],
    [
      'an empty selector',
      { spec: { resourceAttributes: { labelSelector: {} } } },
      [
        'spec.resourceAttributes.labelSelector.requirements: Required value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required',
      ],
    ],
  ];
  it.each(cases)('review: %s', (_name, change, errors) => {
    expect(createErrors(review('subjectaccessreviews'), right, change)).toEqual(errors);
  });
  it('a local review is for its own namespace', () => {
    expect(
      createErrors(review('localsubjectaccessreviews'), right, {
        metadata: { namespace: 'a' },
        spec: { resourceAttributes: { namespace: 'b' } },
      }),
    ).toEqual(['spec.resourceAttributes.namespace: Invalid value: "b": must match metadata.namespace']);
  });
  it('reviews that are not stored need no name', () => {
    expect(
      createErrors(
        { group: 'authentication.k8s.io', version: 'v1', plural: 'tokenreviews', namespaced: false },
        { metadata: {}, spec: { token: 't' } },
        {},
      ),
    ).toEqual([]);
  });
  it.each([
    [599, ['spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes']],
    [600, []],
    [
      2 ** 32 + 1,
      ['spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds'],
    ],
  ])('a token of %i seconds', (expirationSeconds, errors) => {
    expect(
      validateBody('TokenRequest', { spec: { expirationSeconds } }, DEFAULT_VALIDATION_CONTEXT).map(String),
    ).toEqual(errors);
  });
});
