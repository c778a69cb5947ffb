import { describe, expect, it } from 'vitest';
import { deviceCheckpoint, type DeviceState } from './device-checkpoint.ts';

const STATE: DeviceState = {
  containers: [
    {
      podUid: 'pod',
      container: 'c',
      resource: 'example.com/x',
      devices: { '-1': ['a'], 0: ['b'], 10: ['c'], 2: ['c'] },
      response: {
        envs: { DEVICES: 'a,b' },
        devices: [{ containerPath: '/dev/x', hostPath: '/dev/null', permissions: 'rw' }],
        mounts: [{ containerPath: '/m', hostPath: '/h', readOnly: true }],
      },
    },
    { podUid: 'pod', container: 'd', resource: 'example.com/y', devices: {}, response: {} },
  ],
  registered: { 'example.com/x': ['a', 'b', 'c'], 'example.com/none': [] },
};

/** What upstream's kubelet writes for these states. */
describe('the checkpoint of the device manager is that of upstream', () => {
  it.each<[string, DeviceState, object]>([
    [
      'with devices',
      STATE,
      {
        Data: {
          PodDeviceEntries: [
            {
              PodUID: 'pod',
              ContainerName: 'c',
              ResourceName: 'example.com/x',
              DeviceIDs: { '-1': ['a'], 0: ['b'], 10: ['c'], 2: ['c'] },
              AllocResp: 'Cg4KB0RFVklDRVMSA2EsYhIKCgIvbRICL2gYARoXCgYvZGV2L3gSCS9kZXYvbnVsbBoCcnc=',
            },
            { PodUID: 'pod', ContainerName: 'd', ResourceName: 'example.com/y', DeviceIDs: {}, AllocResp: '' },
          ],
          RegisteredDevices: { 'example.com/none': [], 'example.com/x': ['a', 'b', 'c'] },
        },
        Checksum: 3827544810,
      },
    ],
    [
      'without any',
      { containers: [], registered: {} },
      { Data: { PodDeviceEntries: null, RegisteredDevices: {} }, Checksum: 3467439661 },
    ],
  ])('%s', (_title, state, written) => {
    const text = deviceCheckpoint.encode(state);
    expect(JSON.parse(text)).toEqual(written);
    expect(deviceCheckpoint.decode(text)).toEqual(state);
  });

  it.each([
    ['another checksum', '{"Data":{"PodDeviceEntries":null,"RegisteredDevices":{}},"Checksum":1}'],
    ['no data', '{"Checksum":3467439661}'],
  ])('a file with %s is corrupted', (_title, text) => {
    expect(() => deviceCheckpoint.decode(text)).toThrow('checkpoint is corrupted');
  });
});
