/** The names that dynamic resource allocation uses. */
import { type FieldError, invalidValue, type Path, required, tooLong } from '../../errors/index.ts';
import { cIdentifier, dns1123Label, dns1123Subdomain, labelValue, utf8Longer } from '../../names/index.ts';
import { validateCsiDriverName } from '../core/volume/volume-sources-csi.ts';

const MAX_POOL_NAME = 253;
const MAX_ID = 32;
const MAX_DOMAIN = 63;
/** A domain, a slash and an identifier. */
export const MAX_QUALIFIED_NAME = MAX_DOMAIN + 1 + MAX_ID;

/** Drivers are named as CSI drivers are. */
export const validateDriverName = validateCsiDriverName;

export function validateLabel(errors: FieldError[], name: string, at: Path): void {
  for (const message of dns1123Label(name)) errors.push(invalidValue(at, name, message));
}

export function validateSubdomain(errors: FieldError[], name: string, at: Path): void {
  for (const message of dns1123Subdomain(name)) errors.push(invalidValue(at, name, message));
}

export function validateLabelValue(errors: FieldError[], value: string, at: Path): void {
  for (const message of labelValue(value)) errors.push(invalidValue(at, value, message));
}

export function validateDeviceClassName(errors: FieldError[], name: string, at: Path): void {
  if (name === '') errors.push(required(at));
  else validateSubdomain(errors, name, at);
}

export function validatePoolName(errors: FieldError[], name: string, at: Path): void {
  if (name === '') {
    errors.push(required(at));
    return;
  }
  if (utf8Longer(name, MAX_POOL_NAME)) errors.push(tooLong(at, MAX_POOL_NAME));
  for (const part of name.split('/')) validateSubdomain(errors, part, at);
}

/** An identifier, or one that a domain in front of it tells apart. */
export function validateQualifiedName(errors: FieldError[], name: string, at: Path): void {
  const parts = name.split('/');
  const [first = '', second = ''] = parts;
  if (parts.length === 1) validateIdentifier(errors, first, at);
  else if (parts.length === 2) {
    if (first === '') errors.push(invalidValue(at, '', 'the domain must not be empty'));
    else validateDriverName(errors, first, at);
    if (second === '') errors.push(invalidValue(at, '', 'the name must not be empty'));
    else validateIdentifier(errors, second, at);
  }
}

export function validateFullyQualifiedName(errors: FieldError[], name: string, at: Path): void {
  validateQualifiedName(errors, name, at);
  if (!name.includes('/'))
    errors.push(invalidValue(at, name, 'a fully qualified name must be a domain and a name separated by a slash'));
}

function validateIdentifier(errors: FieldError[], id: string, at: Path): void {
  if (utf8Longer(id, MAX_ID)) errors.push(tooLong(at, MAX_ID));
  for (const message of cIdentifier(id)) errors.push(invalidValue(at, id, message));
}

const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;
const UUID_LENGTHS = [32, 36, 38, 45];

export function validateUid(errors: FieldError[], uid: string, at: Path): void {
  if (UUID.test(uid) && uid === uid.toLowerCase()) return;
  const bare = uid.replace(/^urn:uuid:/i, '').replace(/^\{(.*)\}$/, '$1');
  const readable = UUID.test(bare) || /^[0-9a-fA-F]{32}$/.test(uid);
  if (readable) {
    const form = '`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters';
    errors.push(invalidValue(at, uid, `uid must be in RFC 4122 normalized form, ${form}`));
  } else {
    const why = UUID_LENGTHS.includes(uid.length) ? 'invalid UUID format' : `invalid UUID length: ${uid.length}`;
    errors.push(invalidValue(at, uid, `error validating uid: ${why}`));
  }
}
