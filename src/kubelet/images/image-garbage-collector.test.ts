import os from 'node:os';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestContext, type TestContext } from '../../kernel/index.ts';
import { DEFAULT_KUBELET_CONFIGURATION, type KubeletConfiguration } from '../configuration/kubelet-configuration.ts';
import { FakeRuntime } from '../testing/fake-runtime.ts';
import { ImageGarbageCollector } from './image-garbage-collector.ts';

let ctx: TestContext;
let runtime: FakeRuntime;
let told: string[];

beforeEach(() => {
  ctx = createTestContext();
  runtime = new FakeRuntime(ctx.clock);
  runtime.images_.clear();
  for (const name of ['a:1', 'b:1', 'c:1']) runtime.addImage(name, { id: `sha256:${name}`, size: 100 });
  runtime.images.imageFsInfo = () => Promise.resolve({ imageFilesystems: [{ fsId: { mountpoint: os.tmpdir() } }] });
  told = [];
});

const collector = (
  config: Partial<KubeletConfiguration> = {},
  imageVolumes: readonly string[] = [],
): ImageGarbageCollector =>
  new ImageGarbageCollector(ctx, {
    runtime,
    config: { ...DEFAULT_KUBELET_CONFIGURATION, imageMinimumGCAge: 0, ...config },
    reporter: { event: (type, reason, message) => void told.push(`${type} ${reason}: ${message}`) },
    imageVolumes: () => imageVolumes,
  });

const left = (): string[] => [...runtime.images_.keys()];

describe('freeing', () => {
  it('removes the least recently used images, and no more than needed', async () => {
    const gc = collector();
    await gc.free(0);
    await ctx.clock.advance(1000);
    gc.used('sha256:a:1');
    await ctx.clock.advance(1000);
    expect(await gc.free(150)).toBe(200);
    expect(left()).toEqual(['a:1']);
  });

  it('leaves images that are too new', async () => {
    const gc = collector({ imageMinimumGCAge: 120_000 });
    expect(await gc.free(Infinity)).toBe(0);
    await ctx.clock.advance(119_000);
    expect(await gc.free(Infinity)).toBe(0);
    await ctx.clock.advance(2000);
    expect(await gc.free(Infinity)).toBe(300);
  });

  it('leaves images of containers and of volumes', async () => {
    await runtime.runtime.runPodSandbox({ config: { metadata: { name: 'p' } } });
    await runtime.runtime.createContainer({
      podSandboxId: [...runtime.sandboxes.keys()][0],
      config: { metadata: { name: 'main' }, image: { image: 'sha256:b:1', userSpecifiedImage: 'b:1' } },
    });
    expect(await collector({}, ['c:1']).free(Infinity)).toBe(100);
    expect(left()).toEqual(['b:1', 'c:1']);
  });
});

describe('collecting', () => {
  it('removes images that were unused for too long, regardless of the disk usage', async () => {
    const gc = collector({ imageGCHighThresholdPercent: 100, imageMaximumGCAge: 60_000 });
    await gc.collect();
    await ctx.clock.advance(50_000);
    gc.used('sha256:b:1');
    await ctx.clock.advance(20_000);
    await gc.collect();
    expect(left()).toEqual(['b:1']);
  });

  it('reports when it cannot free enough', async () => {
    await expect(
      collector({ imageGCHighThresholdPercent: 0, imageGCLowThresholdPercent: 0 }).collect(),
    ).rejects.toThrow(
      /^Failed to garbage collect required amount of images\. Attempted to free \d+ bytes, but only found 300 bytes eligible to free\.$/,
    );
    expect(told).toEqual([expect.stringMatching(/^Warning FreeDiskSpaceFailed: Failed to garbage collect/) as string]);
    expect(left()).toEqual([]);
  });
});
