import { errorMessage } from '../base/index.ts';
/** The flags of a secure port's TLS, the same for every component. */
import { type FlagTable, type FlagValues, UsageError } from '../flags/index.ts';
import { CIPHER_SUITES, opensslCiphers, opensslCurves, type TlsSettings } from '../net/tls/index.ts';

/** The values of --tls-min-version. */
const VERSIONS = {
  VersionTLS10: 'TLSv1',
  VersionTLS11: 'TLSv1.1',
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
} as const;

export const tlsFlags = {
  'tls-cert-file': { kind: 'text', section: 'Serving', summary: 'Serving certificate, with its chain' },
  'tls-private-key-file': { kind: 'text', section: 'Serving', summary: 'Private key of the serving certificate' },
  'tls-sni-cert-key': {
    kind: 'repeated',
    section: 'Serving',
    summary:
      'Certificate and key for clients that ask for its names, or for those after a colon: a.crt,a.key:*.a.com,a.com',
  },
  'tls-min-version': {
    kind: 'text',
    default: 'VersionTLS12',
    only: ['', ...Object.keys(VERSIONS)],
    section: 'Serving',
    summary: 'Minimum TLS version',
  },
  'tls-cipher-suites': {
    kind: 'texts',
    section: 'Serving',
    summary: `Cipher suites up to TLS 1.2, of ${CIPHER_SUITES.join(', ')}; default: those of Node.js`,
  },
  'tls-curve-preferences': {
    kind: 'texts',
    section: 'Serving',
    summary: "Key exchanges, as numbers of Go's CurveID; default: those of Node.js",
  },
  'permit-address-sharing': { kind: 'switch', ignored: 'an address can always be shared' },
} as const satisfies FlagTable;

/** The flags of a secure port besides, for components other than the API server. */
export const componentServingFlags = (component: string) =>
  ({
    ...tlsFlags,
    'cert-dir': {
      kind: 'text',
      section: 'Serving',
      summary: `Directory of ${component}.crt and ${component}.key, which are generated if missing; default: in memory`,
    },
    'client-ca-file': {
      kind: 'text',
      section: 'Serving',
      summary: 'CA bundle that verifies client certificates; default: the one that the API server publishes',
    },
    'authentication-skip-lookup': {
      kind: 'switch',
      default: false,
      section: 'Serving',
      summary: 'Accept no client certificates without --client-ca-file',
    },
  }) as const satisfies FlagTable;

type TlsFlagValues = Pick<
  FlagValues<typeof tlsFlags>,
  'tls-min-version' | 'tls-cipher-suites' | 'tls-curve-preferences'
>;

/** Throws a UsageError for cipher suites and curves that do not exist. */
export function tlsSettings(values: TlsFlagValues): TlsSettings {
  const ciphers = values['tls-cipher-suites'] ?? [];
  const curves = values['tls-curve-preferences'] ?? [];
  const version = values['tls-min-version'] || 'VersionTLS12';
  return {
    minVersion: VERSIONS[version as keyof typeof VERSIONS],
    ...(ciphers.length > 0 ? { ciphers: checked(() => opensslCiphers(ciphers)) } : {}),
    ...(curves.length > 0 ? { curves: checked(() => opensslCurves(curves)) } : {}),
  };
}

function checked(convert: () => string): string {
  try {
    return convert();
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}
