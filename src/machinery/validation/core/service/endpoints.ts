/** Validation of Endpoints. */
import type { EndpointAddress, EndpointPort, Endpoints } from '../../../../api/generated/core-v1.ts';
import { append } from '../../../../base/index.ts';
import { type FieldError, invalidValue, path, type Path, required } from '../../../errors/index.ts';
import { dns1123Label, nameIsDnsSubdomain, portNumber, qualifiedName } from '../../../names/index.ts';
import { checkLegacyIp, ipWarnings, validateNonSpecialIp } from '../../ip.ts';
import type { KindValidation } from '../../kind-validation.ts';
import { metadata, metadataAgain, metadataUpdate } from '../../metadata-checks.ts';
import { validateProtocol } from '../pod/container-ports.ts';

const SUBSETS = path('subsets');
const RULES = { namespaced: true, name: nameIsDnsSubdomain };

function validateSubsets(errors: FieldError[], object: Endpoints, stored: ReadonlySet<string>): void {
  for (const [i, { addresses = [], notReadyAddresses = [], ports = [] }] of (object.subsets ?? []).entries()) {
    const here = SUBSETS.index(i);
    if (addresses.length === 0 && notReadyAddresses.length === 0) {
      errors.push(required(here, 'must specify `addresses` or `notReadyAddresses`'));
    }
    for (const [j, address] of addresses.entries())
      validateAddress(errors, address, here.child('addresses').index(j), stored);
    for (const [j, address] of notReadyAddresses.entries())
      validateAddress(errors, address, here.child('notReadyAddresses').index(j), stored);
    for (const [j, port] of ports.entries()) validatePort(errors, port, here.child('ports').index(j), ports.length > 1);
  }
}

function validateAddress(
  errors: FieldError[],
  { ip = '', hostname, nodeName }: EndpointAddress,
  at: Path,
  stored: ReadonlySet<string>,
): void {
  checkLegacyIp(errors, ip, at.child('ip'), { strict: !stored.has(ip) });
  if (hostname)
    for (const message of dns1123Label(hostname)) errors.push(invalidValue(at.child('hostname'), hostname, message));
  if (nodeName !== undefined) {
    for (const message of nameIsDnsSubdomain(nodeName))
      errors.push(invalidValue(at.child('nodeName'), nodeName, message));
  }
  validateNonSpecialIp(errors, ip, at.child('ip'));
}

function validatePort(
  errors: FieldError[],
  { name, port = 0, protocol, appProtocol }: EndpointPort,
  at: Path,
  nameRequired: boolean,
): void {
  if (name) for (const message of dns1123Label(name)) errors.push(invalidValue(at.child('name'), name, message));
  else if (nameRequired) errors.push(required(at.child('name')));
  for (const message of portNumber(port)) errors.push(invalidValue(at.child('port'), port, message));
  validateProtocol(errors, protocol, at.child('protocol'));
  if (appProtocol !== undefined) {
    for (const message of qualifiedName(appProtocol))
      errors.push(invalidValue(at.child('appProtocol'), appProtocol, message));
  }
}

const NOTHING_STORED: ReadonlySet<string> = new Set();

function subsets(errors: FieldError[], object: Endpoints): void {
  validateSubsets(errors, object, NOTHING_STORED);
}

const allAddresses = (object: Endpoints): EndpointAddress[] =>
  (object.subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [] }) => [...addresses, ...notReadyAddresses]);

function subsetsUpdate(errors: FieldError[], object: Endpoints, old: Endpoints): void {
  validateSubsets(errors, object, new Set(allAddresses(old).map(({ ip }) => ip)));
}

function addressWarnings(warnings: string[], object: Endpoints): void {
  for (const [i, { addresses = [], notReadyAddresses = [] }] of (object.subsets ?? []).entries()) {
    const here = SUBSETS.index(i);
    for (const [j, { ip }] of addresses.entries())
      append(warnings, ipWarnings(ip, here.child('addresses').index(j).child('ip')));
    for (const [j, { ip }] of notReadyAddresses.entries()) {
      append(warnings, ipWarnings(ip, here.child('notReadyAddresses').index(j).child('ip')));
    }
  }
}

export const endpoints: KindValidation<Endpoints> = {
  create: [metadata(RULES), subsets],
  update: [metadataUpdate, metadataAgain(RULES), subsetsUpdate],
  warnings: [addressWarnings],
};
