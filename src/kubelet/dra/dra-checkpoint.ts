/**
 * The checkpoint file of the DRA manager in upstream's format: `{"Data": TEXT, "Checksum": N}`, where the text is JSON and the checksum
 * its CRC-32.
 */
import { crc32 } from 'node:zlib';
import { goJsonText } from '../../base/index.ts';
import { CorruptCheckpoint, type CheckpointFormat } from '../resources/manager-checkpoint.ts';
import type { ClaimInfo, PreparedDevice } from './claim-info.ts';

interface StoredDevice {
  readonly PoolName: string;
  readonly DeviceName: string;
  readonly ShareID: string | null;
  readonly RequestNames: readonly string[] | null;
  readonly CDIDeviceIDs: readonly string[] | null;
}

interface StoredClaim {
  readonly ClaimUID: string;
  readonly ClaimName: string;
  readonly Namespace: string;
  readonly PodUIDs: Readonly<Record<string, object>> | null;
  /** By driver; a driver has no devices until it has prepared the claim. */
  readonly DriverState: Readonly<Record<string, { readonly Devices: readonly StoredDevice[] | null }>> | null;
}

interface CheckpointData {
  readonly kind: string;
  readonly apiVersion: string;
  readonly ClaimInfoStateList: readonly StoredClaim[] | null;
}

const KIND = 'DRACheckpoint';
const API_VERSION = 'checkpoint.dra.kubelet.k8s.io/v1';

export const draCheckpoint: CheckpointFormat<readonly ClaimInfo[]> = {
  encode(claims) {
    const data: CheckpointData = {
      kind: KIND,
      apiVersion: API_VERSION,
      ClaimInfoStateList: orNull(claims.map(storedClaim)),
    };
    const text = goJsonText(data);
    return goJsonText({ Data: text, Checksum: crc32(text) });
  },
  decode(text) {
    const { Data = '', Checksum } = JSON.parse(text) as { Data?: string; Checksum?: number };
    if (Checksum !== crc32(Data)) throw new CorruptCheckpoint();
    return ((JSON.parse(Data) as CheckpointData).ClaimInfoStateList ?? []).map(claimInfo);
  },
};

function storedClaim({ uid, name, namespace, podUids, drivers, devices }: ClaimInfo): StoredClaim {
  const devicesOf = (driver: string): StoredDevice[] =>
    (devices ?? []).filter((device) => device.driver === driver).map(storedDevice);
  return {
    ClaimUID: uid,
    ClaimName: name,
    Namespace: namespace,
    PodUIDs: Object.fromEntries(podUids.toSorted().map((pod) => [pod, {}])),
    DriverState: Object.fromEntries(
      drivers.toSorted().map((driver) => [driver, { Devices: orNull(devicesOf(driver)) }]),
    ),
  };
}

const storedDevice = ({ pool, device, shareId, requests, cdiDevices }: PreparedDevice): StoredDevice => ({
  PoolName: pool,
  DeviceName: device,
  ShareID: shareId ?? null,
  RequestNames: orNull(requests),
  CDIDeviceIDs: orNull(cdiDevices),
});

function claimInfo({ ClaimUID, ClaimName, Namespace, PodUIDs, DriverState }: StoredClaim): ClaimInfo {
  const drivers = Object.entries(DriverState ?? {});
  const devices = drivers.flatMap(([driver, { Devices }]) =>
    (Devices ?? []).map((stored): PreparedDevice => ({
      driver,
      pool: stored.PoolName,
      device: stored.DeviceName,
      requests: stored.RequestNames ?? [],
      cdiDevices: stored.CDIDeviceIDs ?? [],
      ...(stored.ShareID === null ? {} : { shareId: stored.ShareID }),
    })),
  );
  return {
    uid: ClaimUID,
    name: ClaimName,
    namespace: Namespace,
    drivers: drivers.map(([driver]) => driver),
    podUids: Object.keys(PodUIDs ?? {}),
    // Drivers must accept that a claim is prepared again, so one without devices is.
    devices: devices.length === 0 ? undefined : devices,
  };
}

/** Go writes an empty list that nobody made as null. */
const orNull = <T>(list: readonly T[]): readonly T[] | null => (list.length === 0 ? null : list);
