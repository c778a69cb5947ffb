import { describe, expect, test } from 'vitest';
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/generated/flowcontrol-v1.ts';
import { flowSchemas, priorityLevels } from './flow-control.ts';
import { reconcileFlowControl } from './reconcile-flow-control.ts';

const ANNOTATION = 'apf.kubernetes.io/autoupdate-spec';

function schema(name: string): FlowSchema {
  const found = flowSchemas().find(({ metadata }) => metadata.name === name);
  if (!found) throw new Error(`no FlowSchema ${name}`);
  return found;
}

/** As an earlier start, or an administrator, may have left it. */
function changed(desired: FlowSchema, options: { annotation?: string; generation: number }): FlowSchema {
  const annotations: Record<string, string> =
    options.annotation === undefined ? {} : { [ANNOTATION]: options.annotation };
  return {
    ...desired,
    metadata: { name: desired.metadata.name, generation: options.generation, annotations },
    spec: { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 3 },
  };
}

describe('reconcileFlowControl', () => {
  const desired = schema('service-accounts');

  test('creates missing objects', () => {
    expect(reconcileFlowControl(undefined, desired)).toEqual({ action: 'create', object: desired });
  });

  test('does not write objects that are up to date', () => {
    expect(reconcileFlowControl(schema('service-accounts'), desired)).toEqual({ action: 'none' });
  });

  test.each([
    ['annotated "true"', { annotation: 'true', generation: 4 }],
    ['annotated "1", another way to say true', { annotation: '1', generation: 4 }],
    ['not annotated and never changed', { generation: 1 }],
    ['annotated with nonsense and never changed', { annotation: 'maybe', generation: 1 }],
  ])('updates the spec of an object %s', (_, options) => {
    const result = reconcileFlowControl(changed(desired, options), desired);
    expect(result).toMatchObject({ action: 'update', object: { spec: desired.spec } });
  });

  test('does not write objects with the annotation "false"', () => {
    expect(reconcileFlowControl(changed(desired, { annotation: 'false', generation: 1 }), desired)).toEqual({
      action: 'none',
    });
  });

  test('annotates objects that an administrator changed, and keeps the change', () => {
    const existing = changed(desired, { generation: 2 });
    const object = { ...existing, metadata: { ...existing.metadata, annotations: { [ANNOTATION]: 'false' } } };
    expect(reconcileFlowControl(existing, desired)).toEqual({ action: 'update', object });
  });

  test('always restores the spec and annotation of mandatory objects', () => {
    const mandatory = schema('catch-all');
    const result = reconcileFlowControl(changed(mandatory, { annotation: 'false', generation: 9 }), mandatory);
    expect(result).toMatchObject({
      action: 'update',
      object: { metadata: { annotations: { [ANNOTATION]: 'true' } }, spec: mandatory.spec },
    });
  });

  test.each<[string, PriorityLevelConfiguration['spec'], string]>([
    [
      'lets the exempt level lend what the administrator chose',
      { type: 'Exempt', exempt: { nominalConcurrencyShares: 10, lendablePercent: 40 } },
      'none',
    ],
    ['but not lose its settings', { type: 'Exempt' }, 'update'],
    ['nor become limited', { type: 'Limited', exempt: { nominalConcurrencyShares: 10 } }, 'update'],
  ])('%s', (_, spec, action) => {
    const exempt: PriorityLevelConfiguration | undefined = priorityLevels().find(
      ({ metadata }) => metadata.name === 'exempt',
    );
    if (!exempt) throw new Error('no exempt level');
    expect(reconcileFlowControl({ ...exempt, spec }, exempt).action).toBe(action);
  });
});
