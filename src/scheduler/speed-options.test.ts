/** The same pods with each feature of the speed layer off: the decisions must not tell which one it was. */
import { beforeAll, describe, expect, it } from 'vitest';
import { ownShapes, usePodShapes } from './cache/shared-shapes.ts';
import { ALL_SPEED, type SpeedOptions } from './speed-options.ts';
import { makeNode, makePod, startSchedulerFixture, type PodBuilder } from './testing/index.ts';

const HOST = 'kubernetes.io/hostname';

/** Plain pods, pods with constraints, a pod that fits nowhere, one that preempts, and nodes that change in between. */
async function decisions(speed: Partial<SpeedOptions>): Promise<string[]> {
  const fixture = await startSchedulerFixture({ speed });
  const lines: string[] = [];
  const settled = async (pod: PodBuilder): Promise<void> => {
    const { name } = pod.obj().metadata;
    await fixture.createPod(pod);
    let line = '';
    await fixture.until(`a decision on ${name}`, async () => {
      const { spec, status } = await fixture.pod(name!);
      const message = status?.conditions?.find((c) => c.type === 'PodScheduled' && c.status === 'False')?.message;
      line = `${name}: ${spec?.nodeName ?? message ?? ''} ${status?.nominatedNodeName ?? ''}`;
      return spec?.nodeName !== undefined || message !== undefined;
    });
    lines.push(line);
  };
  try {
    await fixture.client
      .resource('scheduling.k8s.io/v1/priorityclasses')
      .create({ metadata: { name: 'important' }, value: 1000 });
    // More nodes than the initial capacity of the columns.
    for (let i = 0; i < 70; i++)
      await fixture.createNode(
        makeNode(`n${i}`)
          .allocatable({ cpu: String(2 + (i % 3)) })
          .zone(`z${i % 3}`),
      );
    await fixture.start();
    for (let i = 0; i < 8; i++) await settled(makePod(`plain-${i}`).requests({ cpu: '1' }));
    const labelSelector = { matchLabels: { app: 'spread' } };
    for (let i = 0; i < 4; i++) {
      const antiAffinity = [{ topologyKey: HOST, labelSelector }];
      const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: antiAffinity } };
      await settled(makePod(`spread-${i}`).label('app', 'spread').requests({ cpu: '500m' }).spec({ affinity }));
    }
    await settled(makePod('too-large').requests({ cpu: '32' }));
    await fixture.createNode(makeNode('large').allocatable({ cpu: '16' }));
    for (let i = 0; i < 4; i++) await settled(makePod(`after-${i}`).requests({ cpu: '1' }));
    await settled(makePod('filler').requests({ cpu: '8' }));
    await settled(makePod('preempting').requests({ cpu: '12' }).spec({ priorityClassName: 'important' }));
    await fixture.advance(30_000);
    const events = await fixture.client.resource('events.k8s.io/v1/events').list({ namespace: 'default' });
    lines.push(...events.items.map(({ note, reason }) => `${reason}: ${note?.replace(/[0-9a-f-]{36}/, 'UID')}`).sort());
    return lines;
  } finally {
    await fixture.stop();
  }
}

describe('the speed layer', () => {
  let all: string[];
  beforeAll(async () => {
    all = await decisions({});
  });

  it('makes every kind of decision', () => {
    expect(all.filter((line) => /^plain-\d: n\d+/.test(line))).toHaveLength(8);
    expect(all).toContainEqual(expect.stringMatching(/^too-large: 0\/70 nodes are available: 70 Insufficient cpu/));
    expect(all).toContainEqual(expect.stringMatching(/^preempting: .*large$/));
    expect(all.filter((line) => line.startsWith('Scheduled: '))).toHaveLength(17);
  });

  it.each(Object.keys(ALL_SPEED))('makes the same decisions without %s', async (feature) => {
    expect(await decisions({ [feature]: false })).toEqual(all);
  });

  it('makes the same decisions without shared shapes', async () => {
    const restore = usePodShapes(ownShapes);
    try {
      expect(await decisions({})).toEqual(all);
    } finally {
      restore();
    }
  });

  it('makes the same decisions without any of them', async () => {
    const restore = usePodShapes(ownShapes);
    const none = Object.fromEntries(Object.keys(ALL_SPEED).map((feature) => [feature, false]));
    try {
      expect(await decisions(none)).toEqual(all);
    } finally {
      restore();
    }
  });
});
