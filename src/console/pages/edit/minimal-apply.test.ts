import { describe, expect, it } from 'vitest';
import type { FieldSet } from '../api/objects.ts';
import { diffLines } from './diff.ts';
import { sentFor } from './minimal-apply.ts';

const deployment = (containers: readonly object[], owned?: FieldSet) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'default',
    ...(owned ? { managedFields: [{ manager: 'k8ts-console', operation: 'Apply', fieldsV1: owned }] } : {}),
  },
  spec: { replicas: 1, template: { spec: { containers } } },
});

const IDENTITY = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'default' } };
const CONTAINERS = [
  { name: 'main', image: 'web:1', args: ['a', 'b'] },
  { name: 'side', image: 'side:1' },
];

describe('sentFor', () => {
  it('applies only the changed fields of the changed container', () => {
    const edited = deployment([{ ...CONTAINERS[0], image: 'web:2' }, CONTAINERS[1]!]);
    const spec = { template: { spec: { containers: [{ name: 'main', image: 'web:2' }] } } };
    expect(sentFor(deployment(CONTAINERS), edited)).toEqual({ how: 'apply', object: { ...IDENTITY, spec } });
  });

  it('keeps what the console applied before, because an apply gives up what it leaves out', () => {
    const edited = deployment([{ ...CONTAINERS[0], image: 'web:2' }, CONTAINERS[1]!]);
    const { object } = sentFor(deployment(CONTAINERS, { 'f:spec': { 'f:replicas': {} } }), edited);
    expect(object).toMatchObject({ spec: { replicas: 1, template: {} } });
  });

  it('sends an edit that removes something as an update of the whole', () => {
    const edited = deployment([CONTAINERS[0]!]);
    expect(sentFor(deployment(CONTAINERS), edited)).toEqual({ how: 'update', object: edited });
  });

  it('is not misled by names of prototypes', () => {
    const live = { ...IDENTITY, data: { a: '1' } };
    const { how, object } = sentFor(live, { ...IDENTITY, data: { a: '1', constructor: '2' } });
    expect([how, object]).toEqual(['apply', { ...IDENTITY, data: { constructor: '2' } }]);
  });
});

describe('diffLines', () => {
  it('shows changed lines with those around them', () => {
    const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].join('\n');
    const lines = diffLines(before, before.replace('g', 'G'));
    expect(lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'gap ⋯',
      'same d',
      'same e',
      'same f',
      'removed g',
      'added G',
      'same h',
    ]);
  });

  it('shows nothing of equal texts', () => {
    expect(diffLines('a\nb', 'a\nb')).toEqual([]);
  });
});
