import { expect, it } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import type { ContainerRuntime } from '../../cri/index.ts';
import { createTestContext } from '../../kernel/index.ts';
import { until } from '../../kernel/testing/index.ts';
import type { PodEvents } from '../pod/pod-events.ts';
import { ImageManager, type ImageToEnsure } from './image-manager.ts';

const POD: Pod = { metadata: { name: 'p', namespace: 'default', uid: 'u' } };

function managerOf(present: readonly string[]) {
  const ctx = createTestContext();
  const here = new Set(present);
  const pulled: string[] = [];
  const said: string[] = [];
  const images = {
    imageStatus: ({ image }: { image: { image: string } }) =>
      Promise.resolve(here.has(image.image) ? { image: { id: image.image, size: 1 } } : {}),
    pullImage: ({ image }: { image: { image: string } }) => {
      pulled.push(image.image);
      here.add(image.image);
      return Promise.resolve({ imageRef: image.image });
    },
  };
  const manager = new ImageManager(ctx, {
    runtime: { images } as unknown as ContainerRuntime,
    events: {
      container: (_pod: Pod, name: string, _type: string, reason: string) => void said.push(`${name}:${reason}`),
    } as unknown as PodEvents,
    parallelPulls: 2,
  });
  let woken = 0;
  const ensure = (...wanted: ImageToEnsure[]) =>
    manager.ensureAll(
      wanted.map((container) => ({
        pod: POD,
        container,
        secrets: () => Promise.resolve([]),
        wake: () => void woken++,
      })),
    );
  return { ensure, pulled, said, woken: () => woken, ctx };
}

const VOLUME = { name: '', image: 'example.com/data:1', imagePullPolicy: 'Always' };
const CONTAINER = { name: 'c', image: 'example.com/app:1', imagePullPolicy: 'Always' };

it('pulls the images of a container and of its volumes once each', async () => {
  const { ensure, pulled, woken } = managerOf([]);
  expect((await ensure(VOLUME, CONTAINER)).map(({ type }) => type)).toEqual(['pulling', 'pulling']);
  await until('both pulls have ended', () => woken() === 2);
  expect((await ensure(VOLUME, CONTAINER)).map(({ type }) => type)).toEqual(['present', 'present']);
  expect(pulled).toEqual(['example.com/data:1', 'example.com/app:1']);
});

it.each([
  ['Never', [], 'problem'],
  ['Never', ['example.com/data:1'], 'present'],
  ['IfNotPresent', ['example.com/data:1'], 'present'],
  ['Always', ['example.com/data:1'], 'pulling'],
])('a volume with the pull policy %s while %j is on the node: %s', async (imagePullPolicy, present, expected) => {
  const { ensure } = managerOf(present);
  const [outcome] = await ensure({ ...VOLUME, imagePullPolicy });
  expect(outcome!.type).toBe(expected);
});
