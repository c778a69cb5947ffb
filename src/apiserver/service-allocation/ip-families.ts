/** The IP families of a Service: those that the client specifies, completed by those of the cluster. */
import type { Service, ServiceSpec } from '../../api/generated/core-v1.ts';
import { isIpv6 } from '../../base/index.ts';
import { type FieldError, invalid, invalidValue, path } from '../../machinery/errors/index.ts';
import { clusterIps } from '../../machinery/validation/index.ts';
import { needsClusterIp, sameClusterIps, sameIpFamilies } from '../registry/service-needs.ts';
import type { IpFamily } from './cluster-ip-range.ts';

const CLUSTER_IP_NONE = 'None';
const SINGLE = 'SingleStack';
const PREFER = 'PreferDualStack';
const REQUIRE = 'RequireDualStack';
const POLICY = path('spec', 'ipFamilyPolicy');

/** Changes the service in place; `families` are the cluster's, the default one first. */
export function completeIpFamilies(service: Service, old: Service | undefined, families: readonly IpFamily[]): void {
  const spec = (service.spec ??= {});
  if (spec.type === 'ExternalName' || (old && keepsDualStackPreference(service, old))) return;
  const headlessWithoutSelector = spec.clusterIP === CLUSTER_IP_NONE && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.spec?.ipFamilyPolicy ?? (headlessWithoutSelector ? REQUIRE : SINGLE);

  const malformed: FieldError[] = [];
  clusterIps(malformed, spec, old?.spec?.clusterIPs);
  refuse(service, malformed);
  if (old) applyPolicyChange(service, old);
  refuse(service, [...policyErrors(spec), ...inferFamilies(spec, families)]);

  if (headlessWithoutSelector) {
    // Endpoints that are not managed by a selector may have families that the cluster has no range for.
    const list = (spec.ipFamilies = spec.ipFamilies?.length ? spec.ipFamilies : [families[0]!]);
    if (list.length < 2 && spec.ipFamilyPolicy !== SINGLE) list.push(otherFamily(list[0]!));
    return;
  }
  refuse(service, unavailableErrors(spec, families));
  if (!spec.ipFamilies?.length) spec.ipFamilies = [families[0]!];
  if (spec.ipFamilyPolicy !== SINGLE && spec.ipFamilies.length === 1 && families.length === 2)
    spec.ipFamilies.push(otherFamily(spec.ipFamilies[0]!));
}

const otherFamily = (family: string): IpFamily => (family === 'IPv4' ? 'IPv6' : 'IPv4');

function refuse(service: Service, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', errors);
}

/** A PreferDualStack Service keeps its families when the cluster gains or loses one. */
export function keepsDualStackPreference(service: Service, old: Service): boolean {
  const prefers = (s: Service): boolean => s.spec?.ipFamilyPolicy === PREFER;
  return (
    service.spec?.type === old.spec?.type &&
    needsClusterIp(service) &&
    prefers(service) &&
    prefers(old) &&
    sameClusterIps(service, old) &&
    sameIpFamilies(service, old)
  );
}

/** A change to SingleStack releases the second address; dropping the address without that change is an error. */
function applyPolicyChange(service: Service, old: Service): void {
  const spec = service.spec!;
  const before = old.spec ?? {};
  if (spec.ipFamilyPolicy === SINGLE) {
    if (sameClusterIps(service, old) && (spec.clusterIPs?.length ?? 0) > 1)
      spec.clusterIPs = spec.clusterIPs!.slice(0, 1);
    if (sameIpFamilies(service, old) && (spec.ipFamilies?.length ?? 0) > 1)
      spec.ipFamilies = spec.ipFamilies!.slice(0, 1);
    return;
  }
  const errors: FieldError[] = [];
  const reduced = (now: string[] = [], then: string[] = []): boolean => now.length > 0 && now.length < then.length;
  if (reduced(spec.clusterIPs, before.clusterIPs)) {
    errors.push(invalidValue(POLICY, spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary cluster IP"));
  }
  if (reduced(spec.ipFamilies, before.ipFamilies)) {
    errors.push(invalidValue(POLICY, spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary IP family"));
  }
  refuse(service, errors);
}

function policyErrors(spec: ServiceSpec): FieldError[] {
  if (spec.ipFamilyPolicy !== SINGLE) return [];
  const errors: FieldError[] = [];
  const dual = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (spec.clusterIPs?.length === 2) errors.push(invalidValue(POLICY, SINGLE, `${dual} cluster IPs are specified`));
  if (spec.ipFamilies?.length === 2) errors.push(invalidValue(POLICY, SINGLE, `${dual} IP families are specified`));
  return errors;
}

/** Infers families from the addresses. */
function inferFamilies(spec: ServiceSpec, families: readonly IpFamily[]): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === CLUSTER_IP_NONE) break;
    if (i < (spec.ipFamilies?.length ?? 0)) continue;
    const family = isIpv6(ip) ? 'IPv6' : 'IPv4';
    if (families.includes(family)) (spec.ipFamilies ??= []).push(family);
    else
      errors.push(
        invalidValue(
          path('spec', 'clusterIPs').index(i),
          spec.clusterIPs,
          `${family} is not configured on this cluster`,
        ),
      );
  }
  return errors;
}

function unavailableErrors(spec: ServiceSpec, families: readonly IpFamily[]): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.ipFamilyPolicy === REQUIRE && families.length < 2) {
    errors.push(invalidValue(POLICY, REQUIRE, 'this cluster is not configured for dual-stack services'));
  }
  for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
    if (!(families as readonly string[]).includes(family)) {
      errors.push(invalidValue(path('spec', 'ipFamilies').index(i), family, 'not configured on this cluster'));
    }
  }
  return errors;
}
