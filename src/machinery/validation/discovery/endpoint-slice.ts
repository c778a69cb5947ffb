/** Validation of EndpointSlices. */
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from '../../../api/generated/discovery-v1.ts';
import { parseIp } from '../../../base/index.ts';
import {
  duplicate,
  type FieldError,
  internalFieldError,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
  tooMany,
} from '../../errors/index.ts';
import { dns1123Label, dns1123Subdomain, labelValue, nameIsDnsSubdomain } from '../../names/index.ts';
import { checkIp, checkLegacyIp } from '../ip.ts';
import type { KindValidation } from '../kind-validation.ts';
import { validateLabelName, validateLabels } from '../label-selector.ts';
import { metadata, metadataAgain } from '../metadata-checks.ts';
import { validateImmutable } from '../object-meta.ts';
import { validateEndpointIp } from './endpoint-ip.ts';

const META_RULES = { namespaced: true, name: nameIsDnsSubdomain } as const;
const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const MAX_ENDPOINTS = 1000;
const MAX_PORTS = 20000;
const MAX_ADDRESSES = 100;
const MAX_HINTS = 8;
const MAX_TOPOLOGY_LABELS = 16;
const ADDRESS_TYPE = path('addressType');

export const endpointSlice: KindValidation<EndpointSlice> = {
  create: [metadata(META_RULES), (errors, object) => validateSlice(errors, object)],
  update: [
    metadataAgain(META_RULES),
    (errors, object) => validateSlice(errors, object),
    (errors, object, old) => validateImmutable(errors, object.addressType ?? '', old.addressType ?? '', ADDRESS_TYPE),
  ],
  warnings: [
    (warnings, object) => {
      if (object.addressType === 'FQDN') warnings.push('spec.addressType: FQDN endpoints are deprecated');
    },
  ],
};

function validateSlice(errors: FieldError[], { addressType = '', endpoints, ports }: EndpointSlice): void {
  if (addressType === '') errors.push(required(ADDRESS_TYPE));
  else if (!ADDRESS_TYPES.includes(addressType)) errors.push(notSupported(ADDRESS_TYPE, addressType, ADDRESS_TYPES));
  validatePorts(errors, ports ?? []);
  validateEndpoints(errors, endpoints ?? [], addressType);
}

function validateEndpoints(errors: FieldError[], endpoints: readonly Endpoint[], addressType: string): void {
  const at = path('endpoints');
  if (endpoints.length > MAX_ENDPOINTS) errors.push(tooMany(at, endpoints.length, MAX_ENDPOINTS));
  else for (const [i, endpoint] of endpoints.entries()) validateEndpoint(errors, endpoint, at.index(i), addressType);
}

function validateEndpoint(errors: FieldError[], endpoint: Endpoint, at: Path, addressType: string): void {
  const addresses = endpoint.addresses ?? [];
  const addressesAt = at.child('addresses');
  if (addresses.length === 0) errors.push(required(addressesAt, 'must contain at least 1 address'));
  else if (addresses.length > MAX_ADDRESSES) errors.push(tooMany(addressesAt, addresses.length, MAX_ADDRESSES));
  for (const [i, address] of addresses.entries()) {
    if (addressType === 'FQDN') validateDomain(errors, address, addressesAt.index(i));
    else if (addressType === 'IPv4' || addressType === 'IPv6')
      validateAddress(errors, address, { at: addressesAt, i, addressType });
  }
  const { nodeName, hostname, deprecatedTopology, hints } = endpoint;
  if (nodeName != null)
    for (const message of dns1123Subdomain(nodeName))
      errors.push(invalidValue(at.child('nodeName'), nodeName, message));
  if (deprecatedTopology) validateTopology(errors, deprecatedTopology, at.child('deprecatedTopology'));
  if (hostname != null)
    for (const message of dns1123Label(hostname)) errors.push(invalidValue(at.child('hostname'), hostname, message));
  if (hints) validateHints(errors, hints, at.child('hints'));
}

interface AddressPlace {
  readonly at: Path;
  readonly i: number;
  readonly addressType: 'IPv4' | 'IPv6';
}

function validateAddress(errors: FieldError[], address: string, { at, i, addressType }: AddressPlace): void {
  const before = errors.length;
  if (addressType === 'IPv6') checkIp(errors, address, at.index(i));
  else checkLegacyIp(errors, address, at.index(i), { strict: true });
  if (errors.length > before) return;
  const family = addressType === 'IPv4' ? 4 : 6;
  if (parseIp(address)?.family !== family) errors.push(invalidValue(at, address, `must be an ${addressType} address`));
  validateEndpointIp(errors, address, at.index(i));
}

function validateDomain(errors: FieldError[], name: string, at: Path): void {
  if (name === '') {
    errors.push(required(at));
    return;
  }
  const absolute = name.endsWith('.') ? name.slice(0, -1) : name;
  const messages = dns1123Subdomain(absolute);
  for (const message of messages) errors.push(invalidValue(at, absolute, message));
  if (messages.length > 0) return;
  if (absolute.split('.').length < 2) {
    errors.push(invalidValue(at, absolute, 'should be a domain with at least two segments separated by dots'));
    return;
  }
  for (const label of absolute.split('.')) {
    for (const message of dns1123Label(label)) errors.push(invalidValue(at, label, message));
  }
}

function validateTopology(errors: FieldError[], topology: Readonly<Record<string, string>>, at: Path): void {
  const count = Object.keys(topology).length;
  if (count > MAX_TOPOLOGY_LABELS) errors.push(tooMany(at, count, MAX_TOPOLOGY_LABELS));
  validateLabels(errors, topology, at);
  const zone = 'topology.kubernetes.io/zone';
  if (Object.hasOwn(topology, zone))
    errors.push(internalFieldError(at.key(zone), 'reserved key was not removed in conversion'));
}

function validateHints(errors: FieldError[], { forZones, forNodes }: EndpointHints, at: Path): void {
  const places = [
    { name: 'forZones', hints: forZones ?? [] },
    { name: 'forNodes', hints: forNodes ?? [] },
  ];
  for (const { name, hints } of places) {
    if (hints.length > MAX_HINTS) {
      errors.push(tooMany(at.child(name), hints.length, MAX_HINTS));
      return;
    }
  }
  for (const { name, hints } of places) {
    const seen = new Set<string>();
    for (const [i, hint] of hints.entries()) {
      const hintAt = at.child(name).index(i).child('name');
      if (seen.has(hint.name)) errors.push(duplicate(hintAt, hint.name));
      seen.add(hint.name);
      const messages = name === 'forZones' ? labelValue(hint.name ?? '') : dns1123Subdomain(hint.name ?? '');
      for (const message of messages) errors.push(invalidValue(hintAt, hint.name ?? '', message));
    }
  }
}

function validatePorts(errors: FieldError[], ports: readonly EndpointPort[]): void {
  const at = path('ports');
  if (ports.length > MAX_PORTS) {
    errors.push(tooMany(at, ports.length, MAX_PORTS));
    return;
  }
  const names = new Set<string>();
  for (const [i, { name: given, protocol, appProtocol }] of ports.entries()) {
    const name = given ?? '';
    const nameAt = at.index(i).child('name');
    if (name !== '') for (const message of dns1123Label(name)) errors.push(invalidValue(nameAt, name, message));
    if (names.has(name)) errors.push(duplicate(nameAt, name));
    names.add(name);
    if (protocol == null) errors.push(required(at.index(i).child('protocol')));
    else if (!PROTOCOLS.includes(protocol))
      errors.push(notSupported(at.index(i).child('protocol'), protocol, PROTOCOLS));
    if (appProtocol != null) validateLabelName(errors, appProtocol, at.index(i).child('appProtocol'));
  }
}
