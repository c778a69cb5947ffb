/** Validation of ServiceCIDRs and IPAddresses. */
import type { IPAddress, ParentReference, ServiceCIDR } from '../../../api/generated/networking-v1.ts';
import { parseCidr } from '../../../base/index.ts';
import { type FieldError, invalidValue, path, required } from '../../errors/index.ts';
import {
  dns1123Subdomain,
  IMMUTABLE_MESSAGE,
  type Messages,
  nameIsDnsSubdomain,
  pathSegmentName,
} from '../../names/index.ts';
import { semanticEqual } from '../equality.ts';
import { goStruct } from '../go-struct.ts';
import { checkCidr, checkIp } from '../ip.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataAgain, metadataUpdate } from '../metadata-checks.ts';

const CIDRS = path('spec', 'cidrs');
const PARENT = path('spec', 'parentRef');
const CIDR_RULES = { namespaced: false, name: nameIsDnsSubdomain } as const;
const ADDRESS_RULES = { namespaced: false, name: nameIsIp } as const;

export const serviceCidr: KindValidation<ServiceCIDR> = {
  create: [metadata(CIDR_RULES), (errors, object) => validateCidrs(errors, object)],
  update: [metadataUpdate, validateCidrsUpdate],
  status: [metadataUpdate],
};

function validateCidrs(errors: FieldError[], { spec }: ServiceCIDR): void {
  const cidrs = spec?.cidrs ?? [];
  if (cidrs.length === 0) {
    errors.push(required(CIDRS, 'at least one CIDR required'));
    return;
  }
  if (cidrs.length > 2) {
    errors.push(
      invalidValue(CIDRS, goStruct('io.k8s.api.networking.v1.ServiceCIDRSpec', spec), 'may only hold up to 2 values'),
    );
    return;
  }
  for (const [i, cidr] of cidrs.entries()) checkCidr(errors, cidr, CIDRS.index(i));
  const [first, second] = cidrs.map((cidr) => parseCidr(cidr)?.ip.family);
  if (cidrs.length === 2 && first !== undefined && first === second) {
    const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
    errors.push(invalidValue(CIDRS, cidrs, detail));
  }
}

/** A second family can be added; nothing else changes. */
function validateCidrsUpdate(errors: FieldError[], object: ServiceCIDR, old: ServiceCIDR): void {
  const [cidrs, before] = [object.spec?.cidrs ?? [], old.spec?.cidrs ?? []];
  const isSecondAdded = before.length === 1 && cidrs.length === 2;
  if (before.length !== cidrs.length && !isSecondAdded) {
    errors.push(invalidValue(CIDRS, cidrs, IMMUTABLE_MESSAGE));
    return;
  }
  for (const [i, cidr] of before.entries())
    if (cidr !== cidrs[i]) errors.push(invalidValue(CIDRS.index(i), cidrs[i], IMMUTABLE_MESSAGE));
  if (isSecondAdded) validateCidrs(errors, object);
}

export const ipAddress: KindValidation<IPAddress> = {
  create: [metadata(ADDRESS_RULES), (errors, object) => validateParent(errors, object.spec?.parentRef)],
  update: [
    metadataAgain(ADDRESS_RULES),
    (errors, object) => validateParent(errors, object.spec?.parentRef),
    metadataUpdate,
    (errors, object, old) => {
      const [parent, before] = [object.spec?.parentRef, old.spec?.parentRef];
      if (semanticEqual(parent, before)) return;
      const shown = parent ? goStruct('io.k8s.api.networking.v1.ParentReference', parent) : null;
      errors.push(invalidValue(PARENT, shown, IMMUTABLE_MESSAGE));
    },
  ],
};

function nameIsIp(name: string): Messages {
  const errors: FieldError[] = [];
  checkIp(errors, name, path());
  return errors.map((error) => error.detail);
}

function validateParent(errors: FieldError[], parent: ParentReference | undefined | null): void {
  if (!parent) {
    errors.push(required(PARENT));
    return;
  }
  const { group } = parent;
  if (group)
    for (const message of dns1123Subdomain(group)) errors.push(invalidValue(PARENT.child('group'), group, message));
  for (const name of ['resource', 'name', 'namespace'] as const) {
    const value = parent[name] ?? '';
    if (value === '') {
      if (name !== 'namespace') errors.push(required(PARENT.child(name)));
    } else {
      for (const message of pathSegmentName(value)) errors.push(invalidValue(PARENT.child(name), value, message));
    }
  }
}
