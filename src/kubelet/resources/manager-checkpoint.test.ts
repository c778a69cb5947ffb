import { describe, expect, it } from 'vitest';
import { cpuCheckpoint, memoryCheckpoint } from './manager-checkpoint.ts';

/** Checksums that upstream's kubelet writes for these states. */
describe('checkpoints have the checksums of upstream', () => {
  it.each([
    [354655845, { policyName: 'none', defaultCpuSet: '4-6' }],
    [
      3610638499,
      { policyName: 'none', defaultCpuSet: '1-3', entries: { pod: { container2: '1-3', container1: '4-6' } } },
    ],
    [1353318690, { policyName: 'none', defaultCpuSet: '' }],
  ])('of the CPU manager: %i', (checksum, state) => {
    const text = cpuCheckpoint.encode(state);
    expect(JSON.parse(text)).toEqual({ ...state, checksum });
    expect(cpuCheckpoint.decode(text)).toEqual(state);
  });

  it('of the memory manager', () => {
    const memory = { total: 2048, systemReserved: 512, allocatable: 1536, reserved: 512, free: 1024 };
    const state = {
      policyName: 'static',
      machineState: { 0: { numberOfAssignments: 0, memoryMap: { memory }, cells: [] } },
      entries: { pod: { container1: [{ numaAffinity: [0], type: 'memory', size: 512 }] } },
    };
    const text = memoryCheckpoint.encode(state);
    expect(JSON.parse(text)).toEqual({ ...state, checksum: 4215593881 });
    expect(memoryCheckpoint.decode(text)).toEqual(state);
  });
});

it.each([
  ['another checksum', '{"policyName":"none","defaultCpuSet":"4-6","checksum":1337}'],
  ['allocations that the checksum does not cover', '{"policyName":"none","defaultCpuSet":"4-7","checksum":354655845}'],
])('a checkpoint with %s is corrupted', (_what, text) => {
  expect(() => cpuCheckpoint.decode(text)).toThrow('checkpoint is corrupted');
});

it('a checkpoint without a checksum is accepted, as upstream does', () => {
  expect(cpuCheckpoint.decode('{"policyName":"none","defaultCpuSet":""}')).toEqual({
    policyName: 'none',
    defaultCpuSet: '',
  });
});
