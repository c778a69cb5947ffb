/** Device files of the host that a container gets. */
import fs from 'node:fs';
import path from 'node:path';
import type { Device } from '../../cri/index.ts';
import { deviceNumbers, type DeviceGrant, type HostDevice } from '../oci-spec/devices.ts';

/** Undefined for a file that is not a device. */
function hostDevice(file: string): HostDevice | undefined {
  const stat = fs.statSync(file);
  if (!stat.isCharacterDevice() && !stat.isBlockDevice()) return undefined;
  return {
    path: file,
    type: stat.isBlockDevice() ? 'b' : 'c',
    ...deviceNumbers(stat.rdev),
    fileMode: stat.mode & 0o7777,
    uid: stat.uid,
    gid: stat.gid,
  };
}

/** A directory grants all devices in it. */
export function grantedDevices(devices: readonly Device[]): DeviceGrant[] {
  return devices.flatMap(({ hostPath = '', containerPath = '', permissions = '' }) => {
    if (!/^[rwm]*$/.test(permissions))
      throw new Error(
        `the permissions ${JSON.stringify(permissions)} of device ${hostPath} are not made of r, w and m`,
      );
    const real = fs.realpathSync(hostPath);
    const inside = containerPath || hostPath;
    if (fs.statSync(real).isDirectory())
      return devicesBelow(real).map((device) => ({
        device,
        containerPath: path.join(inside, path.relative(real, device.path)),
        permissions,
      }));
    const device = hostDevice(real);
    if (device === undefined) throw new Error(`${hostPath} is not a device`);
    return [{ device, containerPath: inside, permissions }];
  });
}

/** Entries of /dev that a container has of its own, or must not get from the host. */
const OWN_FOLDERS = new Set(['pts', 'shm', 'fd', 'mqueue', '.lxc', '.lxd-mounts', '.udev']);
const OWN_FILES = new Set(['console', 'tty', 'null', 'zero', 'full', 'random', 'urandom', 'ptmx', 'core']);

/** All devices of the host, for privileged containers. */
export function everyDevice(): DeviceGrant[] {
  return devicesBelow('/dev').map((device) => ({ device, containerPath: device.path, permissions: 'rwm' }));
}

function devicesBelow(folder: string): HostDevice[] {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return OWN_FOLDERS.has(entry.name) ? [] : devicesBelow(file);
    if (!entry.isCharacterDevice() && !entry.isBlockDevice()) return [];
    if (folder === '/dev' && OWN_FILES.has(entry.name)) return [];
    const device = hostDevice(file);
    return device === undefined ? [] : [device];
  });
}
