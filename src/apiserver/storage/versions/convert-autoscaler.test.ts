import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/index.ts';
import { autoscalerFromV2, autoscalerToV2 } from './convert-autoscaler.ts';

const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';
const target = { type: 'AverageValue', averageValue: '1Gi' };
const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } };

const hpa = (apiVersion: string, spec: object, annotations?: Record<string, string>): KubeObject =>
  ({ apiVersion, kind: 'HorizontalPodAutoscaler', metadata: { name: 'h', annotations }, spec }) as KubeObject;

describe('autoscalers', () => {
  it('keep in annotations what version 1 has no field for', () => {
    const metrics = [
      cpu,
      { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', target: cpu.resource.target } },
      { type: 'Object', object: { metric: { name: 'm' }, describedObject: { kind: 'S', name: 's' }, target } },
    ];
    const behavior = { scaleUp: { selectPolicy: 'Max', policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] } };
    const shown = autoscalerFromV2(hpa('autoscaling/v2', { maxReplicas: 3, metrics, behavior }));
    expect(shown['spec']).toEqual({ maxReplicas: 3, targetCPUUtilizationPercentage: 60 });
    expect(shown.metadata.annotations).toEqual({
      [METRICS]:
        '[{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":60,"container":"c"}},' +
        '{"type":"Object","object":{"target":{"kind":"S","name":"s"},"metricName":"m","targetValue":"0","averageValue":"1Gi"}}]',
      [BEHAVIOR]:
        '{"ScaleUp":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":60}],"Tolerance":null},"ScaleDown":null}',
    });
    const spec = autoscalerToV2(shown)['spec'] as { metrics: object[]; behavior: object };
    // As upstream, the CPU comes last.
    expect(spec.metrics).toEqual([metrics[1], metrics[2], cpu]);
    expect(spec.behavior).toEqual(behavior);
  });

  it('aim at a CPU of 80 % when version 1 names no metric', () => {
    const spec = autoscalerToV2(hpa('autoscaling/v1', { maxReplicas: 3 }, { [METRICS]: 'broken' }))['spec'];
    expect(spec).toMatchObject({ metrics: [{ resource: { name: 'cpu', target: { averageUtilization: 80 } } }] });
  });

  it('read the names of a behavior whatever their case', () => {
    const text = '{"scaleup":{"STABILIZATIONWINDOWSECONDS":5}}';
    const spec = autoscalerToV2(hpa('autoscaling/v1', { maxReplicas: 3 }, { [BEHAVIOR]: text }))['spec'];
    expect(spec).toMatchObject({ behavior: { scaleUp: { stabilizationWindowSeconds: 5 } } });
  });
});
