import { describe, expect, it } from 'vitest';
import { gratuitousArp, neighborAdvertisement } from './announcement.ts';
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

  it('tells the link by a neighbor advertisement to all, with a checksum that is right', () => {
    const bytes = neighborAdvertisement('fd99::c8', '0a:0b:0c:0d:0e:0f');
    const own = 'fd9900000000000000000000000000c8';
    const hex = bytes.toString('hex');
    expect(hex.slice(0, 28)).toBe('3333000000010a0b0c0d0e0f86dd');
    expect(hex.slice(28, 108)).toBe(`6000000000203aff${own}ff020000000000000000000000000001`);
    expect(hex.slice(108, 112) + hex.slice(116)).toBe(`880020000000${own}02010a0b0c0d0e0f`);
    // With its checksum, everything that it is about sums up to all ones.
    const summed = Buffer.concat([bytes.subarray(22, 54), Buffer.from([0, 0, 0, 32, 0, 0, 0, 58]), bytes.subarray(54)]);
    let sum = 0;
    for (let at = 0; at < summed.length; at += 2) sum += summed.readUInt16BE(at);
    expect((sum & 0xffff) + (sum >>> 16)).toBe(0xffff);
  });
});
