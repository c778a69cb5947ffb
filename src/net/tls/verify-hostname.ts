/**
 * Whether a certificate is for a host: only its alternative names count, addresses for addresses and DNS names for
 * names, and a wildcard covers the whole first label.
 */
import { isIP } from 'node:net';
import { addressBytes, addressText } from '../../base/index.ts';
import { CertificateError } from './certificate-error.ts';
import type { Certificate } from './certificate.ts';
import { commonName } from './name.ts';

/** Of more names, the error has only the number. */
const MAX_LISTED_NAMES = 100;

export function verifyHostname(certificate: Certificate, host: string): void {
  if (isValidFor(certificate, host)) return;
  throw new CertificateError('ERR_TLS_CERT_ALTNAME_INVALID', mismatch(certificate, host));
}

export function isValidFor(certificate: Certificate, host: string): boolean {
  const { dnsNames = [], addresses = [] } = certificate.alternativeNames ?? {};
  const address = addressOf(host);
  return address === undefined
    ? dnsNames.some((pattern) => matches(pattern, host))
    : addresses.some((candidate) => sameAddress(candidate, address));
}

function mismatch(certificate: Certificate, host: string): string {
  const { dnsNames = [], addresses = [] } = certificate.alternativeNames ?? {};
  if (certificate.alternativeNames === undefined && labelsMatch(commonName(certificate.subject), host)) {
    return 'certificate relies on legacy Common Name field, use SANs instead';
  }
  const isAddress = addressOf(host) !== undefined;
  if (isAddress && addresses.length === 0)
    return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  const names = isAddress ? addresses.map((address) => addressText(unmapped(address))) : dnsNames;
  if (names.length >= MAX_LISTED_NAMES)
    return `certificate is valid for ${names.length} ${isAddress ? 'IP SANs' : 'names'}, but none matched ${host}`;
  if (names.length === 0) return `certificate is not valid for any names, but wanted to match ${host}`;
  return `certificate is valid for ${names.join(', ')}, not ${host}`;
}

function addressOf(host: string): Buffer | undefined {
  const text = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  return isIP(text) === 0 ? undefined : Buffer.from(addressBytes(text.split('%')[0]!));
}

const MAPPED = Buffer.from('00000000000000000000ffff', 'hex');

/** ::ffff:192.0.2.1 is 192.0.2.1. */
const unmapped = (address: Buffer): Buffer =>
  address.length === 16 && address.subarray(0, 12).equals(MAPPED) ? address.subarray(12) : address;

const sameAddress = (a: Buffer, b: Buffer): boolean => unmapped(a).equals(unmapped(b));

/** A name that is not a valid host name must match exactly. */
function matches(pattern: string, host: string): boolean {
  if (isHostname(host, false) && isHostname(pattern, true)) return labelsMatch(pattern, host);
  return host !== '' && host !== '.' && pattern.toLowerCase() === host.toLowerCase();
}

function labelsMatch(pattern: string, host: string): boolean {
  const wanted = host.toLowerCase().replace(/\.$/, '').split('.');
  const given = pattern.toLowerCase().split('.');
  if (pattern === '' || host === '' || wanted.length !== given.length) return false;
  return given.every((label, i) => (i === 0 && label === '*') || label === wanted[i]);
}

function isHostname(text: string, isPattern: boolean): boolean {
  const name = isPattern ? text : text.replace(/\.$/, '');
  if (name === '' || name === '*') return false;
  return name
    .split('.')
    .every((label, i) => (isPattern && i === 0 && label === '*') || /^[A-Za-z0-9_][-A-Za-z0-9_]*$/.test(label));
}
