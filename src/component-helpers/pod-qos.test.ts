import { describe, expect, it } from 'vitest';
import type { PodSpec, ResourceRequirements } from '../api/generated/core-v1.ts';
import { computePodQos } from './index.ts';

const spec = (...resources: ResourceRequirements[]): PodSpec => ({
  containers: resources.map((r, i) => ({ name: `c${i}`, resources: r })),
});
const both = { cpu: '1', memory: '1Gi' };

describe('the QoS class of a pod', () => {
  it.each([
    ['nothing asked', spec({}), 'BestEffort'],
    ['zero asked', spec({ requests: { cpu: '0' } }), 'BestEffort'],
    ['other resources do not count', spec({ requests: { 'example.com/gpu': '1' } }), 'BestEffort'],
    ['requests only', spec({ requests: both }), 'Burstable'],
    ['limits and equal requests', spec({ requests: both, limits: both }), 'Guaranteed'],
    ['equal in other words', spec({ requests: { cpu: '1000m', memory: '1024Mi' }, limits: both }), 'Guaranteed'],
    ['limits above requests', spec({ requests: both, limits: { cpu: '2', memory: '1Gi' } }), 'Burstable'],
    ['no limit on memory', spec({ requests: { cpu: '1' }, limits: { cpu: '1' } }), 'Burstable'],
    ['one container without limits', spec({ requests: both, limits: both }, {}), 'Burstable'],
    [
      'init containers count',
      { ...spec({ requests: both, limits: both }), initContainers: [{ name: 'i' }] },
      'Burstable',
    ],
    [
      'spec.resources decides alone, also an empty one',
      { ...spec({ requests: both, limits: both }), resources: {} },
      'BestEffort',
    ],
    ['resources of the pod decide alone', { ...spec({}), resources: { requests: both, limits: both } }, 'Guaranteed'],
  ] as [string, PodSpec, string][])('%s', (_name, pod, expected) => {
    expect(computePodQos(pod)).toBe(expected);
  });
});
