/**
 * The checkpoint file of the device manager in upstream's format, so that either kubelet goes on with what the other left: the devices of
 * each container with the plugin's answer to Allocate, the devices of each plugin, and a checksum.
 */
import { fnv32a, goJsonText } from '../../base/index.ts';
import { messageCodec } from '../../grpc/index.ts';
import { goList, goMap } from '../resources/go-text.ts';
import { CorruptCheckpoint, type CheckpointFormat } from '../resources/manager-checkpoint.ts';
import { descriptor, PACKAGE, type ContainerAllocateResponse } from './device-plugin-v1beta1.generated.ts';

/** Device ids by NUMA node; a device with several NUMA nodes is at each of them. */
export type DevicesPerNuma = Readonly<Record<string, readonly string[]>>;

/** The key of devices without a topology. */
export const WITHOUT_TOPOLOGY = '-1';

export interface ContainerDevices {
  readonly podUid: string;
  readonly container: string;
  readonly resource: string;
  readonly devices: DevicesPerNuma;
  readonly response: ContainerAllocateResponse;
}

export interface DeviceState {
  readonly containers: readonly ContainerDevices[];
  /** The healthy devices by resource. */
  readonly registered: Readonly<Record<string, readonly string[]>>;
}

interface StoredEntry {
  readonly PodUID: string;
  readonly ContainerName: string;
  readonly ResourceName: string;
  readonly DeviceIDs: Readonly<Record<string, readonly string[] | null>> | null;
  /** In base64. */
  readonly AllocResp: string | null;
}

interface StoredData {
  readonly PodDeviceEntries: readonly StoredEntry[] | null;
  readonly RegisteredDevices: Readonly<Record<string, readonly string[] | null>> | null;
}

const responses = messageCodec<ContainerAllocateResponse>(
  { package: PACKAGE, descriptor },
  'ContainerAllocateResponse',
);

export const deviceCheckpoint: CheckpointFormat<DeviceState> = {
  encode({ containers, registered }) {
    const entries = containers.map(({ podUid, container, resource, devices, response }): StoredEntry => ({
      PodUID: podUid,
      ContainerName: container,
      ResourceName: resource,
      DeviceIDs: devices,
      AllocResp: responses.encode(response).toString('base64'),
    }));
    const data = { PodDeviceEntries: entries.length === 0 ? null : entries, RegisteredDevices: registered };
    return goJsonText({ Data: data, Checksum: checksumOf(data) });
  },
  decode(text) {
    const { Data, Checksum } = JSON.parse(text) as { Data?: StoredData; Checksum?: number };
    if (Data === undefined || Checksum !== checksumOf(Data)) throw new CorruptCheckpoint();
    return {
      containers: (Data.PodDeviceEntries ?? []).map((entry) => ({
        podUid: entry.PodUID,
        container: entry.ContainerName,
        resource: entry.ResourceName,
        devices: withoutNulls(entry.DeviceIDs),
        response: responses.decode(Buffer.from(entry.AllocResp ?? '', 'base64')),
      })),
      registered: withoutNulls(Data.RegisteredDevices),
    };
  },
};

const withoutNulls = (lists: StoredData['RegisteredDevices']): Record<string, readonly string[]> =>
  Object.fromEntries(Object.entries(lists ?? {}).map(([key, list]) => [key, list ?? []]));

/** FNV-1a of the data as Go prints it, with the types of all fields. */
const checksumOf = ({ PodDeviceEntries, RegisteredDevices }: StoredData): number =>
  fnv32a(
    Buffer.from(
      `(checkpoint.checkpointData){PodDeviceEntries:([]checkpoint.PodDevicesEntry)${goList(PodDeviceEntries?.map(entryText) ?? null)} ` +
        `RegisteredDevices:(map[string][]string)${goMap(RegisteredDevices, goList)}}`,
    ),
  );

function entryText({ PodUID, ContainerName, ResourceName, DeviceIDs, AllocResp }: StoredEntry): string {
  const bytes = AllocResp === null ? null : [...Buffer.from(AllocResp, 'base64')];
  return (
    `{PodUID:(string)${PodUID} ContainerName:(string)${ContainerName} ResourceName:(string)${ResourceName} ` +
    `DeviceIDs:(checkpoint.DevicesPerNUMA)${goMap(DeviceIDs, goList, (a, b) => Number(a) - Number(b))} ` +
    `AllocResp:([]uint8)${goList(bytes)}}`
  );
}
