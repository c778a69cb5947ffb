import { expect, it } from 'vitest';
import type { ClaimInfo } from './claim-info.ts';
import { draCheckpoint } from './dra-checkpoint.ts';

const claim: ClaimInfo = {
  uid: 'claim-uid',
  name: 'claim',
  namespace: 'default',
  drivers: ['a.example.com', 'b.example.com'],
  podUids: ['pod-1', 'pod-2'],
  devices: [
    { driver: 'a.example.com', pool: 'p', device: 'd', requests: ['r'], cdiDevices: ['example.com/gpu=0'] },
    { driver: 'b.example.com', pool: 'p', device: 'd', requests: [], cdiDevices: [], shareId: 'share' },
  ],
};

it('claims are written as upstream writes them, and read again', () => {
  const text = draCheckpoint.encode([claim]);
  const data =
    '{"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v1","ClaimInfoStateList":[' +
    '{"ClaimUID":"claim-uid","ClaimName":"claim","Namespace":"default","PodUIDs":{"pod-1":{},"pod-2":{}},"DriverState":{' +
    '"a.example.com":{"Devices":[{"PoolName":"p","DeviceName":"d","ShareID":null,"RequestNames":["r"],' +
    '"CDIDeviceIDs":["example.com/gpu=0"]}]},' +
    '"b.example.com":{"Devices":[{"PoolName":"p","DeviceName":"d","ShareID":"share","RequestNames":null,' +
    '"CDIDeviceIDs":null}]}}}]}';
  expect((JSON.parse(text) as { Data: string }).Data).toBe(data);
  expect(draCheckpoint.decode(text)).toEqual([claim]);
});

it('has the checksum that upstream writes', () => {
  const text = draCheckpoint.encode([
    {
      uid: '067798be-454e-4be4-9047-1aa06aea63f7',
      name: 'example',
      namespace: 'default',
      drivers: ['test-driver.cdi.k8s.io'],
      podUids: ['139cdb46-f989-4f17-9561-ca10cfb509a6'],
      devices: [
        {
          driver: 'test-driver.cdi.k8s.io',
          pool: 'worker-1',
          device: 'dev-1',
          requests: ['test request'],
          cdiDevices: ['example.com/example=cdi-example'],
        },
      ],
    },
  ]);
  expect(JSON.parse(text)).toMatchObject({ Checksum: 2570581864 });
});

it('a claim that no driver has prepared yet is prepared again', () => {
  const waiting = { ...claim, devices: undefined };
  expect(draCheckpoint.decode(draCheckpoint.encode([waiting]))).toEqual([waiting]);
});

it('another checksum means that the file is corrupted', () => {
  expect(() => draCheckpoint.decode('{"Data":"{}","Checksum":1}')).toThrow('checkpoint is corrupted');
});
