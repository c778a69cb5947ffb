import { describe, expect, it } from 'vitest';
import { gratuitousArp } from './announcement.ts';
import { chooseSpeaker } from './choose-speaker.ts';

const NODES = ['a', 'b', 'c', 'd'];
const ADDRESSES = Array.from({ length: 200 }, (_, last) => `10.0.0.${last}`);

describe('the speaker of an address', () => {
  it('is the same whatever the order in which machines are known', () => {
    for (const address of ADDRESSES)
      expect(chooseSpeaker(address, NODES.toReversed())).toBe(chooseSpeaker(address, NODES));
    expect(chooseSpeaker('10.0.0.1', [])).toBeUndefined();
  });

  it('changes only for addresses of a machine that goes, and every machine has its share', () => {
    const rest = NODES.filter((node) => node !== 'b');
    for (const address of ADDRESSES) {
      const before = chooseSpeaker(address, NODES);
      if (before !== 'b') expect(chooseSpeaker(address, rest)).toBe(before);
    }
    for (const node of NODES)
      expect(ADDRESSES.filter((address) => chooseSpeaker(address, NODES) === node).length).toBeGreaterThan(20);
  });

  it('tells the link by ARP requests and answers to all', () => {
    const head = 'ffffffffffff0a0b0c0d0e0f08060001080006040';
    const tail = '0a0b0c0d0e0f0a000001ffffffffffff0a000001';
    expect(gratuitousArp('10.0.0.1', '0a:0b:0c:0d:0e:0f').map((frame) => frame.toString('hex'))).toEqual([
      `${head}001${tail}`,
      `${head}002${tail}`,
    ]);
  });
});
