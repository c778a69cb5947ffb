import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import { createErrors, statusErrors, type Case } from '../testing/cases.ts';

const kind = { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets', namespaced: true };
const right: JsonObject = {
  metadata: { name: 'p', namespace: 'default' },
  spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
  status: {},
};

describe('PodDisruptionBudgets', () => {
  const cases: Case[] = [
    ['right', {}, []],
    [
      'both',
      { spec: { maxUnavailable: 1 } },
      [
        'spec: Invalid value: {"MinAvailable":1,"Selector":{"matchLabels":{"a":"b"}},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
      ],
    ],
    [
      'more than all',
      { spec: { minAvailable: '120%' } },
      ['spec.minAvailable: Invalid value: "120%": must not be greater than 100%'],
    ],
    [
      'eviction policy',
      { spec: { unhealthyPodEvictionPolicy: 'Odd' } },
      ['spec.unhealthyPodEvictionPolicy: Unsupported value: "Odd": supported values: "AlwaysAllow", "IfHealthyBudget"'],
    ],
    ['a name that only has to fit into a URL', { metadata: { name: 'A_b' } }, []],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('have no negative counts', () => {
    expect(statusErrors(kind, right, { status: { desiredHealthy: -1 } })).toEqual([
      'status.desiredHealthy: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});
