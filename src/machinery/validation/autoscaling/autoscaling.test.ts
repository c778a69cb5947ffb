import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import { DEFAULT_VALIDATION_CONTEXT, validateBody } from '../index.ts';
import { createErrors, statusErrors, updateErrors, type Case } from '../testing/cases.ts';

const kind = { group: 'autoscaling', version: 'v2', plural: 'horizontalpodautoscalers', namespaced: true };
const cpu: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};
const right: JsonObject = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'h', namespace: 'default' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 1,
    maxReplicas: 3,
    metrics: [cpu],
  },
  status: {},
};
const metric = (value: JsonObject): JsonObject => ({ spec: { metrics: [value] } });
const target = (value: JsonObject): JsonObject =>
  metric({ type: 'Resource', resource: { name: 'cpu', target: value } });
const scaleUp = (value: JsonObject): JsonObject => ({
  spec: { behavior: { scaleUp: { policies: [{ type: 'Pods', value: 1, periodSeconds: 15 }], ...value } } },
});
const AT = 'spec.metrics[0]';

describe('HorizontalPodAutoscalers', () => {
  const cases: Case[] = [
    ['right', {}, []],
    [
      'no maximum',
      { spec: { maxReplicas: 0 } },
      [
        'spec.maxReplicas: Required value: must be set and greater than 0',
        'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
      ],
    ],
    [
      'minimum over maximum',
      { spec: { minReplicas: 5 } },
      ['spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`'],
    ],
    [
      'down to nothing',
      { spec: { minReplicas: 0 } },
      [
        'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
        'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
      ],
    ],
    [
      'a target without a group',
      { spec: { scaleTargetRef: { apiVersion: 'v1' } } },
      ['spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group'],
    ],
    [
      'a target of the core group',
      { spec: { scaleTargetRef: { apiVersion: 'v1', kind: 'ReplicationController' } } },
      [],
    ],
    [
      'a path as a name',
      { spec: { scaleTargetRef: { name: 'a/b' } } },
      ['spec.scaleTargetRef.name: Invalid value: "a/b": may not contain \'/\''],
    ],
    [
      'two sources',
      metric({ ...cpu, external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } }),
      [`${AT}.external: Forbidden: must populate the given metric source only`],
    ],
    [
      'another source',
      metric({ type: 'Pods', resource: cpu['resource']! }),
      [`${AT}.pods: Required value: must populate information for the given metric source`],
    ],
    [
      'target unknown',
      target({ type: 'Total', averageValue: '1' }),
      [`${AT}.resource.target.type: Invalid value: "Total": must be either Utilization, Value, or AverageValue`],
    ],
    [
      'target not positive',
      target({ type: 'AverageValue', averageValue: '0' }),
      [`${AT}.resource.target.averageValue: Invalid value: "0": must be positive`],
    ],
    [
      'target twice',
      target({ type: 'Utilization', averageUtilization: 1, averageValue: '1' }),
      [`${AT}.resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization`],
    ],
    [
      'container missing',
      metric({
        type: 'ContainerResource',
        containerResource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 1 } },
      }),
      [`${AT}.containerResource.container: Required value: must specify a container`],
    ],
    [
      'object of the core group',
      metric({
        type: 'Object',
        object: {
          describedObject: { kind: 'Service', name: 's', apiVersion: 'v1' },
          metric: { name: 'm' },
          target: { type: 'Value', value: '1' },
        },
      }),
      [],
    ],
    [
      'window too long',
      scaleUp({ stabilizationWindowSeconds: 4000 }),
      ['spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 4000: must be less than or equal to 3600'],
    ],
    [
      'odd choice',
      scaleUp({ selectPolicy: 'Any' }),
      ['spec.behavior.scaleUp.selectPolicy: Unsupported value: "Any": supported values: "Disabled", "Max", "Min"'],
    ],
    [
      'negative tolerance',
      scaleUp({ tolerance: '-100m' }),
      ['spec.behavior.scaleUp.tolerance: Invalid value: "-100m": must be greater than or equal to 0'],
    ],
    [
      'policy',
      scaleUp({ policies: [{ type: 'Odd', value: 0, periodSeconds: 1801 }] }),
      [
        'spec.behavior.scaleUp.policies[0].type: Unsupported value: "Odd": supported values: "Percent", "Pods"',
        'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
        'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
      ],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('scale to zero where the gate allows it', () => {
    const external = { type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } };
    const gated = { ...kind, context: { features: { HPAScaleToZero: true } } };
    expect(createErrors(gated, right, { spec: { minReplicas: 0, metrics: [external] } })).toEqual([]);
  });
  it('keep a target that was stored without a group', () => {
    const stored = { ...right, spec: { ...(right['spec'] as JsonObject), scaleTargetRef: { kind: 'Foo', name: 'f' } } };
    expect(updateErrors(kind, stored, { spec: { maxReplicas: 4 } })).toEqual([]);
  });
  it('count no replicas below zero', () => {
    expect(statusErrors(kind, right, { status: { currentReplicas: -1 } })).toEqual([
      'status.currentReplicas: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});

describe('autoscaling/v1', () => {
  const v1 = { ...kind, version: 'v1' };
  const spec = {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 1,
    maxReplicas: 3,
  };
  const annotated = (text: string): JsonObject => ({
    metadata: { annotations: { 'autoscaling.alpha.kubernetes.io/metrics': text } },
  });
  const object: JsonObject = {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h', namespace: 'default' },
    spec,
    status: {},
  };
  const cases: Case[] = [
    [
      'a share of nothing',
      { spec: { targetCPUUtilizationPercentage: 0 } },
      [`${AT}.resource.target.averageUtilization: Invalid value: 0: must be greater than 0`],
    ],
    ['an annotation that is no JSON', annotated('x'), []],
    [
      'a metric in the annotation',
      annotated('[{"type":"Pods","pods":{"metricName":"","targetAverageValue":"1"}}]'),
      [`${AT}.pods.metric.name: Required value: must specify a metric name`],
    ],
  ];
  it.each(cases)('%s', (_name, change, errors) => {
    expect(createErrors(v1, object, change)).toEqual(errors);
  });
});

describe('Scales', () => {
  it.each([
    [2, []],
    [-1, ['spec.replicas: Invalid value: -1: must be greater than or equal to 0']],
  ])('of %i', (replicas, errors) => {
    const scale = { metadata: { name: 's', namespace: 'default' }, spec: { replicas } };
    expect(validateBody('Scale', scale, DEFAULT_VALIDATION_CONTEXT).map(String)).toEqual(errors);
  });
});
