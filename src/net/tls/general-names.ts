/** Names that a certificate is valid for, and names that an authority may issue certificates for. */
import { elements, TAG, type Element } from './der.ts';

export interface AlternativeNames {
  readonly dnsNames: readonly string[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
  /** Four or sixteen bytes. */
  readonly addresses: readonly Buffer[];
}

/** The forms that are understood, by their tag. */
const EMAIL = 0x81;
const DNS = 0x82;
const URI = 0x86;
const ADDRESS = 0x87;

export function alternativeNames(content: Buffer): AlternativeNames {
  const found = { dnsNames: [] as string[], emails: [] as string[], uris: [] as string[], addresses: [] as Buffer[] };
  for (const name of elements(content)) {
    if (name.tag === EMAIL) found.emails.push(ascii(name));
    else if (name.tag === DNS) found.dnsNames.push(ascii(name));
    else if (name.tag === URI) found.uris.push(ascii(name));
    else if (name.tag === ADDRESS) {
      if (name.content.length !== 4 && name.content.length !== 16)
        throw new Error(`x509: cannot parse IP address of length ${name.content.length}`);
      found.addresses.push(name.content);
    }
  }
  return found;
}

interface Subtrees {
  readonly dnsNames: readonly string[];
  readonly emails: readonly string[];
  /** Hosts of URIs. */
  readonly uris: readonly string[];
  /** Address, then mask. */
  readonly addresses: readonly Buffer[];
}

export interface NameConstraints {
  readonly permitted: Subtrees;
  readonly excluded: Subtrees;
  /** Whether there are subtrees of forms that are not understood. */
  readonly hasUnknown: boolean;
}

export function nameConstraints(content: Buffer): NameConstraints {
  const parts = elements(content);
  const [permitted, excluded] = [0xa0, 0xa1].map((tag) => subtrees(parts.find((part) => part.tag === tag)));
  return { permitted: permitted!, excluded: excluded!, hasUnknown: permitted!.hasUnknown || excluded!.hasUnknown };
}

function subtrees(given: Element | undefined): Subtrees & { hasUnknown: boolean } {
  const found = {
    dnsNames: [] as string[],
    emails: [] as string[],
    uris: [] as string[],
    addresses: [] as Buffer[],
    hasUnknown: false,
  };
  for (const subtree of given ? elements(given.content) : []) {
    const base = subtree.tag === TAG.sequence ? elements(subtree.content)[0] : undefined;
    if (base?.tag === EMAIL) found.emails.push(ascii(base));
    else if (base?.tag === DNS) found.dnsNames.push(ascii(base));
    else if (base?.tag === URI) found.uris.push(ascii(base));
    else if (base?.tag === ADDRESS && (base.content.length === 8 || base.content.length === 32))
      found.addresses.push(base.content);
    else found.hasUnknown = true;
  }
  return found;
}

function ascii({ content }: Element): string {
  if (content.some((byte) => byte > 0x7f)) throw new Error('x509: invalid DNS name, email address or URI');
  return content.toString('latin1');
}

/** Why the names are not within the constraints; undefined when they are. */
export function constraintViolation(
  { permitted, excluded }: NameConstraints,
  names: AlternativeNames,
): string | undefined {
  return (
    violation('DNS name', names.dnsNames, {
      permitted: permitted.dnsNames,
      excluded: excluded.dnsNames,
      matches: isBelow,
      touches: mayBeBelow,
    }) ??
    violation('email address', names.emails, {
      permitted: permitted.emails,
      excluded: excluded.emails,
      matches: emailMatches,
    }) ??
    // Constraints do not apply to a URI without a host.
    violation('URI', names.uris, {
      permitted: permitted.uris,
      excluded: excluded.uris,
      matches: (uri, host) => hostMatches(hostOf(uri) ?? '', host),
      touches: (uri, host) => hostMatches(hostOf(uri) ?? host, host),
    }) ??
    violation('IP address', names.addresses, {
      permitted: permitted.addresses,
      excluded: excluded.addresses,
      matches: isInSubnet,
    })
  );
}

interface Rules<T> {
  readonly permitted: readonly T[];
  readonly excluded: readonly T[];
  readonly matches: (name: T, constraint: T) => boolean;
  /** Whether the constraint contains a part of the names that a wildcard covers; default `matches`. */
  readonly touches?: (name: T, constraint: T) => boolean;
}

function violation<T extends string | Buffer>(
  kind: string,
  names: readonly T[],
  { permitted, excluded, matches, touches = matches }: Rules<T>,
): string | undefined {
  for (const name of names) {
    const text = JSON.stringify(typeof name === 'string' ? name : name.toString('hex'));
    if (excluded.some((constraint) => touches(name, constraint))) return `${kind} ${text} is excluded by constraint`;
    if (permitted.length > 0 && !permitted.some((constraint) => matches(name, constraint)))
      return `${kind} ${text} is not permitted by any constraint`;
  }
  return undefined;
}

/** A wildcard covers every name in its domain, the excluded one too. */
function mayBeBelow(name: string, constraint: string): boolean {
  if (isBelow(name, constraint)) return true;
  const base = constraint.toLowerCase().replace(/^\./, '');
  return name.startsWith('*.') && base.slice(base.indexOf('.') + 1) === name.toLowerCase().slice(2);
}

/** `example.com` means it and all below; `.example.com` only what is below. */
function isBelow(name: string, constraint: string): boolean {
  const [lower, base] = [name.toLowerCase().replace(/\.$/, ''), constraint.toLowerCase()];
  if (base === '') return true;
  if (base.startsWith('.')) return lower.endsWith(base) && lower.length > base.length;
  return lower === base || lower.endsWith(`.${base}`);
}

/** One mailbox, all of a host, or all below a domain. */
function emailMatches(email: string, constraint: string): boolean {
  if (constraint.includes('@')) return email.toLowerCase() === constraint.toLowerCase();
  return hostMatches(email.slice(email.lastIndexOf('@') + 1), constraint);
}

function hostOf(uri: string): string | undefined {
  const host = URL.canParse(uri) ? new URL(uri).hostname : '';
  return host === '' ? undefined : host;
}

const hostMatches = (host: string, constraint: string): boolean =>
  constraint.startsWith('.')
    ? isBelow(host, constraint)
    : constraint === '' || host.toLowerCase() === constraint.toLowerCase();

function isInSubnet(address: Buffer, subnet: Buffer): boolean {
  const half = subnet.length / 2;
  return (
    address.length === half &&
    address.every((byte, i) => (byte & subnet[half + i]!) === (subnet[i]! & subnet[half + i]!))
  );
}
