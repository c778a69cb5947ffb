/** Devices of a container in the OCI spec, with the rules of the device cgroup. */
import type { OciDevice, OciDeviceRule } from './oci-types.ts';

/** A device file of the host. */
export interface HostDevice {
  readonly path: string;
  readonly type: 'c' | 'b';
  readonly major: number;
  readonly minor: number;
  readonly fileMode: number;
  readonly uid: number;
  readonly gid: number;
}

export interface DeviceGrant {
  readonly device: HostDevice;
  readonly containerPath: string;
  /** A combination of r, w and m. */
  readonly permissions: string;
}

interface DeviceSpec {
  readonly devices: OciDevice[];
  readonly rules: OciDeviceRule[];
}

/** The devices and device cgroup rules of the grants; the OCI runtime adds /dev/null, /dev/zero and the like. */
export function deviceSpec(grants: readonly DeviceGrant[], { everything }: { everything: boolean }): DeviceSpec {
  const devices = grants.map(({ device, containerPath }): OciDevice => ({
    path: containerPath,
    type: device.type,
    major: device.major,
    minor: device.minor,
    fileMode: device.fileMode,
    uid: device.uid,
    gid: device.gid,
  }));
  if (everything) return { devices, rules: [{ allow: true, access: 'rwm' }] };
  const rules = grants.map(({ device, permissions }): OciDeviceRule => ({
    allow: true,
    type: device.type,
    major: device.major,
    minor: device.minor,
    access: permissions || 'rwm',
  }));
  return { devices, rules: [{ allow: false, access: 'rwm' }, ...rules] };
}

/** The kernel's packing of a device number in `st_rdev`. */
export function deviceNumbers(rdev: number): { major: number; minor: number } {
  const bits = BigInt(rdev);
  return {
    major: Number(((bits >> 8n) & 0xfffn) | ((bits >> 32n) & 0xfffff000n)),
    minor: Number((bits & 0xffn) | ((bits >> 12n) & 0xffffff00n)),
  };
}
