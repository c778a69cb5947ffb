import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { makePod } from '../testing/index.ts';
import { hasUnchangedShape } from './pod-shape.ts';
import { shapeOf } from './shared-shapes.ts';

const base = (): Pod => {
  const pod = makePod('a').label('app', 'x').requests({ cpu: '1' }).uid('u').obj();
  return { ...pod, metadata: { ...pod.metadata, generation: 1 } };
};
const deleted = (generation: number): Pod => ({
  ...base(),
  metadata: { ...base().metadata, generation, deletionTimestamp: '2026-01-01T00:00:00Z' },
});

describe('shapes', () => {
  it.each<[string, Pod, boolean]>([
    ['another name', makePod('b').label('app', 'x').requests({ cpu: '1' }).obj(), true],
    ['the same amount in other words', makePod('a').label('app', 'x').requests({ cpu: '1000m' }).obj(), true],
    ['another label', makePod('a').label('app', 'y').requests({ cpu: '1' }).obj(), false],
    ['another namespace', makePod('a', 'other').label('app', 'x').requests({ cpu: '1' }).obj(), false],
    ['another amount', makePod('a').label('app', 'x').requests({ cpu: '2' }).obj(), false],
    ['a host port', makePod('a').label('app', 'x').requests({ cpu: '1' }).hostPort(80).obj(), false],
    [
      'a toleration',
      makePod('a')
        .label('app', 'x')
        .requests({ cpu: '1' })
        .spec({ tolerations: [{ operator: 'Exists' }] })
        .obj(),
      false,
    ],
    [
      'a token volume of its own',
      makePod('a')
        .label('app', 'x')
        .requests({ cpu: '1' })
        .spec({ volumes: [{ name: 'kube-api-access-x', projected: { sources: [] } }] })
        .obj(),
      true,
    ],
    [
      'a claim',
      makePod('a')
        .label('app', 'x')
        .requests({ cpu: '1' })
        .spec({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] })
        .obj(),
      false,
    ],
  ])('%s: shared %s', (_name, pod, shared) => {
    expect(shapeOf(pod) === shapeOf(base())).toBe(shared);
  });

  it.each<[string, Pod, boolean]>([
    ['a status', { ...base(), status: { phase: 'Running' } }, true],
    ['a binding', { ...base(), spec: { ...base().spec!, nodeName: 'n' } }, true],
    ['a label', { ...base(), metadata: { ...base().metadata, labels: { app: 'y' } } }, false],
    ['a generation', { ...base(), metadata: { ...base().metadata, generation: 2 } }, false],
    ['a deletion', deleted(2), true],
    ['a deletion after a change of the spec', deleted(3), false],
    ['a deletion that does not count, after a change of the spec', deleted(1), false],
    [
      'a container with resources of its own',
      {
        ...base(),
        status: {
          containerStatuses: [
            { name: 'c', image: '', imageID: '', ready: true, restartCount: 0, allocatedResources: { cpu: '2' } },
          ],
        },
      },
      false,
    ],
  ])('an update of %s certainly keeps the shape: %s', (_name, after, same) => {
    expect(hasUnchangedShape(base(), after)).toBe(same);
  });
});
