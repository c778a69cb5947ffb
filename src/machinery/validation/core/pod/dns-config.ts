/** Validates dnsConfig and hostAliases. */
import type { HostAlias, PodDNSConfig } from '../../../../api/generated/core-v1.ts';
import { type FieldError, invalidValue, type Path, required } from '../../../errors/index.ts';
import { dns1123Subdomain, dns1123SubdomainWithUnderscore, utf8Longer } from '../../../names/index.ts';
import { checkLegacyIp } from '../../ip.ts';

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_LIST_CHARACTERS = 2048;

export function validateDnsConfig(
  errors: FieldError[],
  config: PodDNSConfig | undefined,
  at: Path,
  policy: string,
): void {
  if (policy === 'None') {
    if (!config) {
      errors.push(required(at, 'must provide `dnsConfig` when `dnsPolicy` is None'));
      return;
    }
    if (!config.nameservers?.length) {
      errors.push(
        required(at.child('nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None'),
      );
      return;
    }
  }
  if (!config) return;
  const { nameservers = [], searches = [], options = [] } = config;
  if (nameservers.length > MAX_NAMESERVERS) {
    errors.push(
      invalidValue(at.child('nameservers'), nameservers, `must not have more than ${MAX_NAMESERVERS} nameservers`),
    );
  }
  for (const [i, address] of nameservers.entries()) checkLegacyIp(errors, address, at.child('nameservers').index(i));
  validateSearches(errors, searches, at.child('searches'));
  for (const [i, { name }] of options.entries())
    if (!name) errors.push(required(at.child('options').index(i), 'must not be empty'));
}

function validateSearches(errors: FieldError[], searches: readonly string[], at: Path): void {
  if (searches.length > MAX_SEARCHES)
    errors.push(invalidValue(at, searches, `must not have more than ${MAX_SEARCHES} search paths`));
  if (utf8Longer(searches.join(' '), MAX_SEARCH_LIST_CHARACTERS)) {
    const message = `must not have more than ${MAX_SEARCH_LIST_CHARACTERS} characters (including spaces) in the search list`;
    errors.push(invalidValue(at, searches, message));
  }
  for (const [i, search] of searches.entries()) {
    if (search === '.') continue;
    const domain = search.endsWith('.') ? search.slice(0, -1) : search;
    for (const message of dns1123SubdomainWithUnderscore(domain))
      errors.push(invalidValue(at.index(i), domain, message));
  }
}

export function validateHostAliases(errors: FieldError[], aliases: readonly HostAlias[], at: Path): void {
  for (const [i, { ip = '', hostnames = [] }] of aliases.entries()) {
    checkLegacyIp(errors, ip, at.index(i).child('ip'));
    for (const [j, hostname] of hostnames.entries()) {
      for (const message of dns1123Subdomain(hostname))
        errors.push(invalidValue(at.index(i).child('hostnames').index(j), hostname, message));
    }
  }
}
