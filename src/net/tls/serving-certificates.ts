/**
 * The certificates of a TLS server: its own, and others for the names that clients ask for (SNI) and for the addresses that they
 * connect to. `renew` exchanges them while the server runs.
 */
import net from 'node:net';
import tls from 'node:tls';
import { certificatesOfPem, type Certificate } from './certificate.ts';
import { clientCertificateOptions } from './client-certificate-options.ts';
import { commonName } from './name.ts';
import { isValidFor } from './verify-hostname.ts';

/** PEM */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate for some names; without names for those that it contains. */
export interface NamedCertificate extends CertificateAndKey {
  /** Host names, `*.example.com`, and IP addresses. */
  readonly names: readonly string[];
}

export interface TlsSettings {
  readonly minVersion?: tls.SecureVersion;
  /** In OpenSSL's notation; default: those of Node.js. */
  readonly ciphers?: string;
  readonly curves?: string;
}

export interface ServingOptions extends CertificateAndKey, TlsSettings {
  readonly named?: readonly NamedCertificate[];
  /** The CAs of client certificates, PEM. */
  readonly clientCa?: string | undefined;
}

/** Throws if the server cannot use the certificate with the key. */
export function checkCertificateAndKey({ certificate, key }: CertificateAndKey): void {
  if (certificate.trim() === '' || key.trim() === '') throw new Error('missing content for serving cert');
  tls.createSecureContext({ cert: certificate, key });
}

interface Named {
  readonly leaf: Certificate | undefined;
  readonly names: readonly string[];
  readonly context: tls.SecureContext;
}

interface Contexts {
  readonly leaf: Certificate | undefined;
  readonly own: tls.SecureContext;
  readonly named: readonly Named[];
  readonly byName: ReadonlyMap<string, tls.SecureContext>;
}

export class ServingCertificates {
  #options: ServingOptions;
  #contexts: Contexts;

  constructor(options: ServingOptions) {
    this.#options = options;
    this.#contexts = contextsOf(options);
  }

  /** The addresses with a certificate of their own, which a server of their own has to serve. */
  get addresses(): readonly string[] {
    return Array.from(this.#contexts.byName.keys()).filter((name) => net.isIP(name) !== 0);
  }

  /** The options of the TLS server of all addresses, or of one that has its own certificate. */
  serverOptions(address?: string): tls.TlsOptions {
    const options = contextOptions(this.#pairOf(address), this.#options);
    if (this.#contexts.named.length === 0) return options;
    return { ...options, SNICallback: (name, found) => found(null, this.#contextFor(name) ?? this.#contexts.own) };
  }

  /** New connections get the new certificates. Each server is told with `refresh`. */
  renew(options: ServingOptions): void {
    this.#contexts = contextsOf(options);
    this.#options = options;
  }

  refresh(server: Pick<tls.Server, 'setSecureContext'>, address?: string): void {
    server.setSecureContext(contextOptions(this.#pairOf(address), this.#options));
  }

  #pairOf(address: string | undefined): CertificateAndKey {
    const { named = [] } = this.#options;
    return (address !== undefined && named.find(({ names }) => names.includes(address))) || this.#options;
  }

  /** The name itself goes before a wildcard, and both before certificates that are only valid for the name. */
  #contextFor(name: string): tls.SecureContext | undefined {
    const { byName, leaf, named } = this.#contexts;
    const host = name.toLowerCase();
    const known = byName.get(host) ?? byName.get(['*', ...host.split('.').slice(1)].join('.'));
    if (known || isFor(leaf, host)) return known;
    return named.find((other) => isFor(other.leaf, host))?.context;
  }
}

const isFor = (leaf: Certificate | undefined, host: string): boolean => leaf !== undefined && isValidFor(leaf, host);

function contextsOf(options: ServingOptions): Contexts {
  const contextFor = (pair: CertificateAndKey): tls.SecureContext =>
    tls.createSecureContext(contextOptions(pair, options));
  const named = (options.named ?? []).map((pair): Named => {
    const [leaf] = certificatesOfPem(pair.certificate);
    return { leaf, names: pair.names, context: contextFor(pair) };
  });
  const byName = new Map<string, tls.SecureContext>();
  // The first certificate of a name has it, and names that are given go before names in certificates.
  const add = (names: readonly string[], context: tls.SecureContext): void =>
    names.forEach((name) => byName.has(name) || byName.set(name, context));
  for (const { names, context } of named) add(names, context);
  for (const { names, context, leaf } of named) if (names.length === 0) add(namesOf(leaf), context);
  return { leaf: certificatesOfPem(options.certificate)[0], own: contextFor(options), named, byName };
}

/** A label is letters, digits and hyphens; the first one may be a wildcard. */
const HOST_NAME = /^(?:\*\.)?(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?\.)*[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** No addresses: what a client names in SNI is never one. */
function namesOf(leaf: Certificate | undefined): string[] {
  if (leaf === undefined) return [];
  const name = commonName(leaf.subject);
  const isHostName = name === '*' || (HOST_NAME.test(name) && net.isIP(name) === 0);
  return [...(isHostName ? [name] : []), ...(leaf.alternativeNames?.dnsNames ?? [])];
}

function contextOptions(
  { certificate, key }: CertificateAndKey,
  { clientCa, minVersion = 'TLSv1.2', ciphers, curves }: ServingOptions,
): tls.TlsOptions {
  return {
    cert: certificate,
    key,
    minVersion,
    ...clientCertificateOptions(clientCa),
    ...(ciphers === undefined ? {} : { ciphers }),
    ...(curves === undefined ? {} : { ecdhCurve: curves }),
  };
}
