/** Validates NFS, iSCSI and Fibre Channel volumes. */
import type {
  FCVolumeSource,
  ISCSIPersistentVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
} from '../../../../api/generated/core-v1.ts';
import { type FieldError, invalidValue, type Path, required } from '../../../errors/index.ts';
import { rangeMessage, utf8Longer } from '../../../names/index.ts';

export function validateNfs(errors: FieldError[], { server, path = '' }: NFSVolumeSource, at: Path): void {
  if (!server) errors.push(required(at.child('server')));
  if (path === '') errors.push(required(at.child('path')));
  if (!path.startsWith('/')) errors.push(invalidValue(at.child('path'), path, 'must be an absolute path'));
}

const QUALIFIED_NAMES: ReadonlyMap<string, (name: string) => boolean> = new Map([
  ['iqn', isIqn],
  ['eui', (name) => /^eui.[A-Za-z0-9]{16}$/.test(name)],
  ['naa', (name) => /^naa.[A-Za-z0-9]{32}$/.test(name)],
]);

/** Whether the name ends with `iqn.2001-04.com.example:disk`. After the last character that cannot be in one, some `:` must follow a domain. */
function isIqn(name: string): boolean {
  const end = name.slice(name.search(/(?<![^,;*&$|\s])[^,;*&$|\s]*$/));
  const beforeColons = end.split(/:(?=.)/).slice(0, -1);
  return beforeColons.some((part) =>
    /iqn\.\d{4}-\d{2}\../.test(part.slice(part.search(/(?<![A-Za-z0-9-.])[A-Za-z0-9-.]*$/))),
  );
}

function validateQualifiedName(errors: FieldError[], name: string, at: Path, unknownPrefix: string): void {
  const isValid = QUALIFIED_NAMES.get(name.slice(0, 3));
  if (!isValid) errors.push(invalidValue(at, name, unknownPrefix));
  else if (!isValid(name)) errors.push(invalidValue(at, name, 'must be valid format'));
}

type Iscsi = ISCSIVolumeSource | ISCSIPersistentVolumeSource;

function validateIscsiCommon(errors: FieldError[], iscsi: Iscsi, at: Path, unknownPrefix: string): void {
  if (!iscsi.iqn) errors.push(required(at.child('iqn')));
  else validateQualifiedName(errors, iscsi.iqn, at.child('iqn'), unknownPrefix);
  const lun = iscsi.lun ?? 0;
  if (lun < 0 || lun > 255) errors.push(invalidValue(at.child('lun'), lun, rangeMessage(0, 255)));
  if ((iscsi.chapAuthDiscovery || iscsi.chapAuthSession) && !iscsi.secretRef)
    errors.push(required(at.child('secretRef')));
}

export function validateIscsi(errors: FieldError[], iscsi: ISCSIVolumeSource, at: Path): void {
  const unknownPrefix = 'must be valid format starting with iqn, eui, or naa';
  if (!iscsi.targetPortal) errors.push(required(at.child('targetPortal')));
  validateIscsiCommon(errors, iscsi, at, unknownPrefix);
  if (iscsi.initiatorName !== undefined)
    validateQualifiedName(errors, iscsi.initiatorName, at.child('initiatorname'), unknownPrefix);
}

export function validateIscsiPersistentVolume(
  errors: FieldError[],
  iscsi: ISCSIPersistentVolumeSource,
  at: Path,
  volumeName: string,
): void {
  const targetPortal = iscsi.targetPortal ?? '';
  if (targetPortal === '') errors.push(required(at.child('targetPortal')));
  if (iscsi.initiatorName !== undefined && utf8Longer(`${volumeName}:${targetPortal}`, 64)) {
    const message =
      'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
    errors.push(invalidValue(at.child('targetportal'), targetPortal, message));
  }
  validateIscsiCommon(errors, iscsi, at, 'must be valid format');
  if (iscsi.secretRef && !iscsi.secretRef.name) errors.push(required(at.child('secretRef', 'name')));
  if (iscsi.initiatorName !== undefined) {
    validateQualifiedName(errors, iscsi.initiatorName, at.child('initiatorname'), 'must be valid format');
  }
}

export function validateFc(errors: FieldError[], { targetWWNs = [], wwids = [], lun }: FCVolumeSource, at: Path): void {
  if (targetWWNs.length === 0 && wwids.length === 0) {
    errors.push(required(at.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both'));
  }
  if (targetWWNs.length > 0 && wwids.length > 0) {
    errors.push(
      invalidValue(at.child('targetWWNs'), targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'),
    );
  }
  if (targetWWNs.length === 0) return;
  if (lun === undefined) errors.push(required(at.child('lun'), 'lun is required if targetWWNs is specified'));
  else if (lun < 0 || lun > 255) errors.push(invalidValue(at.child('lun'), lun, rangeMessage(0, 255)));
}
