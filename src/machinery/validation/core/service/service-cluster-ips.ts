/** Validates clusterIPs, ipFamilies and ipFamilyPolicy of Services. */
import type { ServiceSpec } from '../../../../api/generated/core-v1.ts';
import { parseIp } from '../../../../base/index.ts';
import { duplicate, type FieldError, invalidValue, notSupported, path, required } from '../../../errors/index.ts';
import { checkLegacyIp } from '../../ip.ts';

const SPEC = path('spec');
const CLUSTER_IPS = SPEC.child('clusterIPs');
const IP_FAMILIES = SPEC.child('ipFamilies');
const IP_FAMILY_POLICY = SPEC.child('ipFamilyPolicy');
const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

export const isHeadless = ({ clusterIPs = [] }: ServiceSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === 'None';

/** Also called before addresses are allocated. */
export function clusterIps(errors: FieldError[], spec: ServiceSpec, stored: readonly string[] = []): void {
  if (spec.type === 'ExternalName') return;
  const { clusterIP = '', clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  if (clusterIP !== '') {
    if (clusterIPs.length === 0) errors.push(required(CLUSTER_IPS));
    else if (clusterIPs[0] !== clusterIP)
      errors.push(invalidValue(CLUSTER_IPS, clusterIPs, 'first value must match `clusterIP`'));
  } else if (clusterIPs.length > 0) {
    errors.push(invalidValue(CLUSTER_IPS, clusterIPs, 'must be empty when `clusterIP` is not specified'));
  }
  validateFamilies(errors, ipFamilies);
  if (ipFamilyPolicy !== undefined && !POLICIES.includes(ipFamilyPolicy))
    errors.push(notSupported(IP_FAMILY_POLICY, ipFamilyPolicy, POLICIES));
  const usable = validateAddresses(errors, clusterIPs, stored);
  if (clusterIPs.length > 2) errors.push(invalidValue(CLUSTER_IPS, clusterIPs, 'may only hold up to 2 values'));
  if (usable) validateAddressFamilies(errors, spec);
}

function validateFamilies(errors: FieldError[], families: readonly string[]): void {
  const seen = new Set<string>();
  for (const [i, family] of families.entries()) {
    if (!FAMILIES.includes(family)) errors.push(notSupported(IP_FAMILIES.index(i), family, FAMILIES));
    if (seen.has(family)) errors.push(duplicate(IP_FAMILIES.index(i), family));
    seen.add(family);
  }
}

/** False if an address is invalid; then the families are not checked. */
function validateAddresses(errors: FieldError[], addresses: readonly string[], stored: readonly string[]): boolean {
  const before = errors.length;
  for (const [i, address] of addresses.entries()) {
    if (i === 0 && address === 'None') {
      if (addresses.length > 1)
        errors.push(invalidValue(CLUSTER_IPS, addresses, "'None' must be the first and only value"));
    } else checkLegacyIp(errors, address, CLUSTER_IPS.index(i), { strict: !stored.includes(address) });
  }
  return errors.length === before;
}

function validateAddressFamilies(errors: FieldError[], spec: ServiceSpec): void {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  const families = clusterIPs.map((address) => parseIp(address)?.family);
  if (clusterIPs.length > 1 && new Set(families).size !== 2) {
    errors.push(invalidValue(CLUSTER_IPS, clusterIPs, 'may specify no more than one IP for each IP family'));
  }
  if (isHeadless(spec)) return;
  for (const [i, address] of clusterIPs.slice(0, ipFamilies.length).entries()) {
    const isV6 = families[i] === 6;
    const family = ipFamilies[i];
    if ((family === 'IPv4' && isV6) || (family === 'IPv6' && !isV6)) {
      errors.push(
        invalidValue(CLUSTER_IPS.index(i), address, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``),
      );
    }
  }
}

/** The secondary family may be added and removed; the primary address and family are immutable unless released. */
export function clusterIpsUpdate(errors: FieldError[], spec: ServiceSpec, old: ServiceSpec): void {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return;
  const [headless, wasHeadless] = [isHeadless(spec), isHeadless(old)];
  if (!headless || !wasHeadless) validateClusterIpsChange(errors, spec, old);
  if (!headless && !wasHeadless) validateFamiliesChange(errors, spec, old);
}

const KEPT = 'may not change once set';

function validateClusterIpsChange(errors: FieldError[], spec: ServiceSpec, old: ServiceSpec): void {
  const { clusterIPs: ips = [] } = spec;
  const { clusterIPs: before = [] } = old;
  if (before.length === ips.length) {
    for (const [i, ip] of before.entries())
      if (ip !== ips[i]) errors.push(invalidValue(CLUSTER_IPS.index(i), ips, KEPT));
    return;
  }
  const released = before.length > ips.length;
  if (released && ips.length === 0)
    errors.push(invalidValue(CLUSTER_IPS.index(0), null, 'primary clusterIP can not be unset'));
  if (before.length > 0 && ips.length > 0 && ips[0] !== before[0])
    errors.push(invalidValue(CLUSTER_IPS.index(0), ips, KEPT));
  if (released && ips.length === 1) validateReleased(errors, spec, 'clusterIP');
}

function validateFamiliesChange(errors: FieldError[], spec: ServiceSpec, old: ServiceSpec): void {
  const { ipFamilies: families = [], clusterIPs = [] } = spec;
  const { ipFamilies: before = [] } = old;
  if (before.length === families.length) {
    for (const [i, family] of before.entries()) {
      if (family !== families[i]) errors.push(invalidValue(IP_FAMILIES.index(0), families, KEPT));
    }
    return;
  }
  const released = before.length > families.length;
  if (released && clusterIPs.length === 0)
    errors.push(invalidValue(IP_FAMILIES.index(0), families, 'primary ipFamily can not be unset'));
  if (before.length > 0 && families.length > 0 && families[0] !== before[0]) {
    errors.push(invalidValue(IP_FAMILIES.index(0), clusterIPs, KEPT));
  }
  if (released && families.length === 1) validateReleased(errors, spec, 'ipFamily');
}

function validateReleased(errors: FieldError[], { ipFamilyPolicy }: ServiceSpec, what: 'clusterIP' | 'ipFamily'): void {
  if (ipFamilyPolicy === 'SingleStack') return;
  const message = `must be set to 'SingleStack' when releasing the secondary ${what}`;
  errors.push(invalidValue(IP_FAMILY_POLICY, ipFamilyPolicy ?? null, message));
}
