/** Validation of the internal.apiserver.k8s.io group: StorageVersions. */
import type {
  ServerStorageVersion,
  StorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from '../../../api/generated/apiserverinternal-v1alpha1.ts';
import { duplicate, type FieldError, invalidValue, path, type Path, required } from '../../errors/index.ts';
import {
  dns1035Label,
  dns1123Subdomain,
  type Messages,
  nameIsDnsSubdomain,
  qualifiedName,
  regexMessage,
} from '../../names/index.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata } from '../metadata-checks.ts';

const STATUS = path('status');

const storageVersion: KindValidation<StorageVersion> = {
  create: [
    metadata({ namespaced: false, name: storageVersionName }),
    (errors, { status }) => validateStatus(errors, status ?? {}),
  ],
  // The spec is empty.
  update: [],
  status: [(errors, { status }) => validateStatus(errors, status ?? {})],
};

/** `apps.deployments`: the group and the resource. */
function storageVersionName(name: string): Messages {
  const dot = name.lastIndexOf('.');
  if (dot < 0) return ['name must be in the form of <group>.<resource>'];
  return [
    ...dns1123Subdomain(name.slice(0, dot)).map((message) => `the group segment ${message}`),
    ...dns1035Label(name.slice(dot + 1)).map((message) => `the resource segment ${message}`),
  ];
}

function validateStatus(errors: FieldError[], status: StorageVersionStatus): void {
  const servers = new Set<string>();
  for (const [i, server] of (status.storageVersions ?? []).entries()) {
    const at = STATUS.child('storageVersions').index(i);
    const id = server.apiServerID ?? '';
    if (servers.has(id)) errors.push(duplicate(at.child('apiServerID'), id));
    servers.add(id);
    validateServer(errors, server, at);
  }
  validateCommonVersion(errors, status);
  validateConditions(errors, status.conditions ?? []);
}

function validateServer(errors: FieldError[], server: Partial<ServerStorageVersion>, at: Path): void {
  const { apiServerID = '', encodingVersion = '', decodableVersions = [], servedVersions = [] } = server;
  for (const message of nameIsDnsSubdomain(apiServerID))
    errors.push(invalidValue(at.child('apiServerID'), apiServerID, message));
  validateApiVersion(errors, encodingVersion, at.child('encodingVersion'));
  for (const [i, version] of decodableVersions.entries())
    validateApiVersion(errors, version, at.child('decodableVersions').index(i));
  if (!decodableVersions.includes(encodingVersion)) {
    const detail = `decodableVersions must include encodingVersion ${encodingVersion}`;
    errors.push(invalidValue(at.child('decodableVersions'), server.decodableVersions ?? null, detail));
  }
  for (const [i, version] of servedVersions.entries()) {
    const place = at.child('servedVersions').index(i);
    validateApiVersion(errors, version, place);
    if (decodableVersions.includes(version)) continue;
    const all = `[${decodableVersions.join(' ')}]`;
    const detail = `individual served version : ${version} must be included in decodableVersions : ${all}`;
    errors.push(invalidValue(place, version, detail));
  }
}

const EMPTY = 'must be non-empty';
const VERSION_RULE =
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";

/** A version, or a group and a version. */
function validateApiVersion(errors: FieldError[], text: string, at: Path): void {
  const parts = text.split('/');
  const messages: string[] = [];
  if (parts.length > 2) {
    const rule = regexMessage(VERSION_RULE, '[a-z]([-a-z0-9]*[a-z0-9])?', 'my-name', 'abc-123');
    messages.push(
      `an apiVersion is ${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`,
    );
  } else {
    const version = parts.at(-1)!;
    const group = parts.length === 2 ? parts[0] : undefined;
    if (group !== undefined)
      for (const message of group === '' ? [EMPTY] : dns1123Subdomain(group)) messages.push(`group part: ${message}`);
    for (const message of version === '' ? [EMPTY] : dns1035Label(version)) messages.push(`version part: ${message}`);
  }
  if (messages.length > 0) errors.push(invalidValue(at, text, messages.join(',')));
}

function validateCommonVersion(errors: FieldError[], status: StorageVersionStatus): void {
  const { storageVersions = [], commonEncodingVersion: claimed } = status;
  const [first, ...others] = storageVersions.map(({ encodingVersion = '' }) => encodingVersion);
  const common = others.every((version) => version === first) ? first : undefined;
  const at = STATUS.child('commonEncodingVersion');
  if (common === undefined) {
    const detail =
      'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet';
    if (claimed != null) errors.push(invalidValue(at, claimed, detail));
  } else if (claimed == null) errors.push(invalidValue(at, null, `the common encoding version is ${common}`));
  else if (claimed !== common)
    errors.push(invalidValue(at, claimed, `the actual common encoding version is ${common}`));
}

/** Upstream leaves `conditions` out of the path. */
function validateConditions(errors: FieldError[], conditions: readonly Partial<StorageVersionCondition>[]): void {
  const seen = new Map<string, number>();
  for (const [i, { type = '', status = '', reason, message }] of conditions.entries()) {
    const at = STATUS.index(i);
    const before = seen.get(type);
    if (before !== undefined) {
      const detail = `the type of the condition is not unique, it also appears in conditions[${before}]`;
      errors.push(invalidValue(at.child('type'), type, detail));
    }
    seen.set(type, i);
    for (const text of qualifiedName(type)) errors.push(invalidValue(at.child('type'), type, text));
    for (const text of qualifiedName(status)) errors.push(invalidValue(at.child('status'), status, text));
    if (!reason) errors.push(required(at.child('reason')));
    if (!message) errors.push(required(at.child('message')));
  }
}

export const apiserverinternalValidations: Readonly<Record<string, KindValidation>> = {
  'internal.apiserver.k8s.io/storageversions': storageVersion,
};
