/** Validates volumeMounts and volumeDevices of containers. */
import type { Volume, VolumeMount } from '../../../../api/generated/core-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notFoundValue,
  notSupported,
  type Path,
  required,
} from '../../../errors/index.ts';
import { hasBacksteps, validateLocalDescendingPath } from '../volume/file-paths.ts';
import type { AnyContainer } from './pod-containers.ts';

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE_READ_ONLY = ['Disabled', 'Enabled', 'IfPossible'];

export function validateVolumeMounts(
  errors: FieldError[],
  container: AnyContainer,
  volumes: ReadonlyMap<string, Volume>,
  at: Path,
): void {
  const mounts = container.volumeMounts ?? [];
  const devices = container.volumeDevices ?? [];
  const paths = new Set<string>();
  const deviceNames = new Set(devices.map((device) => device.name));
  const devicePaths = new Set(devices.map((device) => device.devicePath));
  for (let i = 0; i < mounts.length; i++) {
    const mount = mounts[i]!;
    const { name = '', mountPath = '' } = mount;
    if (name === '') errors.push(required(at.index(i).child('name')));
    const volume = volumes.get(name);
    if (!volume) errors.push(notFoundValue(at.index(i).child('name'), name));
    if (mountPath === '') errors.push(required(at.index(i).child('mountPath')));
    if (paths.has(mountPath)) errors.push(invalidValue(at.index(i).child('mountPath'), mountPath, 'must be unique'));
    paths.add(mountPath);
    if (deviceNames.has(name)) {
      errors.push(invalidValue(at.index(i).child('name'), name, 'must not already exist in volumeDevices'));
    }
    if (devicePaths.has(mountPath)) {
      errors.push(
        invalidValue(at.index(i).child('mountPath'), mountPath, 'must not already exist as a path in volumeDevices'),
      );
    }
    validateSubPath(errors, mount, at, i);
    if (mount.mountPropagation !== undefined)
      validatePropagation(errors, mount.mountPropagation, container, at.child('mountPropagation'));
    if (mount.recursiveReadOnly !== undefined) validateRecursiveReadOnly(errors, mount, at.child('recursiveReadOnly'));
  }
}

function validateSubPath(errors: FieldError[], { subPath, subPathExpr }: VolumeMount, at: Path, i: number): void {
  if (subPath) validateLocalDescendingPath(errors, subPath, at.child('subPath'));
  if (!subPathExpr) return;
  if (subPath)
    errors.push(
      invalidValue(at.index(i).child('subPathExpr'), subPathExpr, 'subPathExpr and subPath are mutually exclusive'),
    );
  validateLocalDescendingPath(errors, subPathExpr, at.child('subPathExpr'));
}

function validatePropagation(errors: FieldError[], propagation: string, container: AnyContainer, at: Path): void {
  if (!PROPAGATIONS.includes(propagation)) errors.push(notSupported(at, propagation, PROPAGATIONS));
  if (propagation === 'Bidirectional' && container.securityContext?.privileged !== true) {
    errors.push(forbiddenField(at, 'Bidirectional mount propagation is available only to privileged containers'));
  }
}

function validateRecursiveReadOnly(
  errors: FieldError[],
  { recursiveReadOnly = '', readOnly, mountPropagation }: VolumeMount,
  at: Path,
): void {
  if (recursiveReadOnly === 'Disabled') return;
  if (!RECURSIVE_READ_ONLY.includes(recursiveReadOnly)) {
    errors.push(notSupported(at, recursiveReadOnly, RECURSIVE_READ_ONLY));
    return;
  }
  if (!readOnly) errors.push(forbiddenField(at, 'may only be specified when readOnly is true'));
  if (mountPropagation !== undefined && mountPropagation !== 'None') {
    errors.push(forbiddenField(at, 'may only be specified when mountPropagation is None or not specified'));
  }
}

export function validateVolumeDevices(
  errors: FieldError[],
  container: AnyContainer,
  volumes: ReadonlyMap<string, Volume>,
  at: Path,
): void {
  const mounts = container.volumeMounts ?? [];
  const mountNames = new Set(mounts.map((mount) => mount.name));
  const mountPaths = new Set(mounts.map((mount) => mount.mountPath));
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [i, { name = '', devicePath = '' }] of (container.volumeDevices ?? []).entries()) {
    const here = at.index(i);
    const volume = volumes.get(name);
    if (name === '') errors.push(required(here.child('name')));
    if (names.has(name)) errors.push(invalidValue(here.child('name'), name, 'must be unique'));
    if (!volume) errors.push(notFoundValue(here.child('name'), name));
    else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
      const message = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      errors.push(invalidValue(here.child('name'), name, message));
    }
    if (devicePath === '') errors.push(required(here.child('devicePath')));
    if (paths.has(devicePath)) errors.push(invalidValue(here.child('devicePath'), devicePath, 'must be unique'));
    if (hasBacksteps(devicePath))
      errors.push(invalidValue(here.child('devicePath'), devicePath, "can not contain backsteps ('..')"));
    else paths.add(devicePath);
    if (mountNames.has(name)) {
      errors.push(invalidValue(here.child('name'), name, 'must not already exist in volumeMounts'));
    }
    if (mountPaths.has(devicePath)) {
      errors.push(
        invalidValue(here.child('devicePath'), devicePath, 'must not already exist as a path in volumeMounts'),
      );
    }
    if (name !== '') names.add(name);
  }
}
