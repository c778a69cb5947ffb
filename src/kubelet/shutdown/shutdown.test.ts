import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { DEFAULT_KUBELET_CONFIGURATION } from '../configuration/kubelet-configuration.ts';
import { decodeMessage, encodeMessage, splitSignature, type DbusMessage } from './dbus-message.ts';
import { systemdInhibit } from './logind.ts';
import { groupByPriority, shutdownGracePeriods } from './shutdown-groups.ts';

describe('gracePeriods', () => {
  it.each([
    ['nothing is configured', {}, []],
    [
      'one time, a part of it for critical pods',
      { shutdownGracePeriod: 30_000, shutdownGracePeriodCriticalPods: 10_000 },
      [
        [0, 20],
        [2_000_000_000, 10],
      ],
    ],
    [
      'times by priority, in any order',
      {
        shutdownGracePeriodByPodPriority: [
          { priority: 1000, shutdownGracePeriodSeconds: 5 },
          { priority: 10, shutdownGracePeriodSeconds: 60 },
        ],
      },
      [
        [10, 60],
        [1000, 5],
      ],
    ],
  ])('%s', (_, config, expected) => {
    expect(
      shutdownGracePeriods({ ...DEFAULT_KUBELET_CONFIGURATION, ...config }).map(({ priority, seconds }) => [
        priority,
        seconds,
      ]),
    ).toEqual(expected);
  });

  it('contain each pod once: by the highest priority that is not above its own, or the lowest', () => {
    const gracePeriods = [10, 100, 1000].map((priority) => ({ priority, seconds: 1 }));
    const pods = [-5, 0, 10, 99, 100, 1000, 5000].map((priority): Pod => ({
      metadata: { name: String(priority) },
      spec: { priority, containers: [] },
    }));
    expect(groupByPriority(gracePeriods, pods).map((group) => group.map(({ metadata }) => metadata.name))).toEqual([
      ['-5', '0', '10', '99'],
      ['100'],
      ['1000', '5000'],
    ]);
  });
});

describe('D-Bus messages', () => {
  it.each<[string, DbusMessage]>([
    [
      'a call',
      {
        type: 'call',
        serial: 7,
        path: '/org/freedesktop/login1',
        interface: 'a.b',
        member: 'C',
        destination: 'd.e',
        signature: 'ssi',
        body: ['x', 'größer', -1],
      },
    ],
    ['an answer', { type: 'answer', serial: 8, replySerial: 7, sender: ':1.2', signature: 'v', body: [5_000_000n] }],
    [
      'a signal',
      {
        type: 'signal',
        serial: 9,
        path: '/a',
        interface: 'a.b',
        member: 'PrepareForShutdown',
        signature: 'b',
        body: [true],
      },
    ],
    ['an error', { type: 'error', serial: 10, errorName: 'x.Y', replySerial: 3, signature: 's', body: ['no'] }],
  ])('%s is written and read', (_, message) => {
    const bytes = encodeMessage(message);
    expect(decodeMessage(Buffer.concat([bytes, Buffer.from('more')]))).toEqual({ message, length: bytes.length });
    for (let cut = 0; cut < bytes.length; cut++) expect(decodeMessage(bytes.subarray(0, cut))).toBeUndefined();
  });

  it('of types that are not supported are refused', () => {
    expect(splitSignature('sasaau')).toEqual(['s', 'as', 'aau']);
    expect(() => splitSignature('a{sv}')).toThrow('is not supported');
  });
});

it('an inhibitor lock that cannot be taken is reported', async () => {
  await expect(systemdInhibit('/does/not/exist')).rejects.toThrow('ENOENT');
  // Node without a script reads it from stdin, which is empty, and does not know systemd-inhibit's options.
  await expect(systemdInhibit(process.execPath)).rejects.toThrow(/node ended with \d+/);
});
