/** CDI devices: applies the edits of a vendor's CDI spec to the OCI spec of a container that requests the device. */
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { CDIDevice } from '../../cri/index.ts';
import { deviceNumbers } from '../oci-spec/devices.ts';
import type { OciHookName, OciSpec } from '../oci-spec/oci-types.ts';

interface ContainerEdits {
  env?: string[];
  deviceNodes?: {
    path: string;
    hostPath?: string;
    type?: string;
    major?: number;
    minor?: number;
    permissions?: string;
    fileMode?: number;
    uid?: number;
    gid?: number;
  }[];
  mounts?: { hostPath: string; containerPath: string; options?: string[]; type?: string }[];
  hooks?: { hookName: OciHookName; path: string; args?: string[]; env?: string[]; timeout?: number }[];
  additionalGids?: number[];
}

interface CdiSpec {
  cdiVersion: string;
  kind: string;
  devices: { name: string; containerEdits?: ContainerEdits }[];
  containerEdits?: ContainerEdits;
}

/** Devices are named `vendor.com/class=name`; later directories override earlier ones. */
export function applyCdiDevices(spec: OciSpec, devices: readonly CDIDevice[], directories: readonly string[]): void {
  if (devices.length === 0) return;
  const specs = directories.toReversed().flatMap(readSpecs);
  const applied = new Set<CdiSpec>();
  for (const { name = '' } of devices) {
    const [kind = '', device = ''] = name.split('=');
    const found = specs.find(
      (candidate) => candidate.kind === kind && candidate.devices.some((entry) => entry.name === device),
    );
    if (found === undefined) throw new Error(`unresolvable CDI devices ${name}`);
    if (!applied.has(found)) applyEdits(spec, found.containerEdits ?? {});
    applied.add(found);
    applyEdits(spec, found.devices.find((entry) => entry.name === device)?.containerEdits ?? {});
  }
}

function readSpecs(directory: string): CdiSpec[] {
  let names: string[];
  try {
    names = fs
      .readdirSync(directory)
      .filter((name) => /\.(?:json|ya?ml)$/.test(name))
      .sort();
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const spec: unknown = parse(fs.readFileSync(path.join(directory, name), 'utf8'));
    return typeof spec === 'object' &&
      spec !== null &&
      'kind' in spec &&
      'devices' in spec &&
      Array.isArray(spec.devices)
      ? [spec as CdiSpec]
      : [];
  });
}

function applyEdits(
  spec: OciSpec,
  { env = [], deviceNodes = [], mounts = [], hooks = [], additionalGids = [] }: ContainerEdits,
): void {
  spec.process.env.push(...env);
  for (const { path: inside, hostPath = inside, permissions = 'rwm', ...given } of deviceNodes) {
    const stat = fs.statSync(hostPath);
    const numbers = deviceNumbers(stat.rdev);
    const device = {
      type: (given.type ?? (stat.isBlockDevice() ? 'b' : 'c')) as 'b' | 'c',
      major: given.major ?? numbers.major,
      minor: given.minor ?? numbers.minor,
    };
    (spec.linux.devices ??= []).push({
      path: inside,
      ...device,
      fileMode: given.fileMode ?? stat.mode & 0o7777,
      uid: given.uid ?? stat.uid,
      gid: given.gid ?? stat.gid,
    });
    (spec.linux.resources.devices ??= []).push({ allow: true, access: permissions, ...device });
  }
  for (const { hostPath, containerPath, options = ['rbind', 'ro'], type = 'bind' } of mounts)
    spec.mounts.push({ destination: containerPath, source: hostPath, type, options });
  for (const { hookName, ...hook } of hooks) ((spec.hooks ??= {})[hookName] ??= []).push(hook);
  const groups = (spec.process.user.additionalGids ??= []);
  for (const gid of additionalGids) if (gid !== 0 && !groups.includes(gid)) groups.push(gid);
}
