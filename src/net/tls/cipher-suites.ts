/** The names of TLS settings in the flags of Kubernetes, which are Go's, and in OpenSSL. */
import tls from 'node:tls';

/** Part of TLS 1.3, in which Go has no choice: all of them are always allowed. */
const TLS_1_3 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** HTTP/2 requires one of them in TLS 1.2. */
const HTTP2_REQUIRES = ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'];

const OPENSSL: ReadonlyMap<string, string> = new Map(
  Object.entries({
    TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
    TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
    TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
    TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
    TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
    TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
    TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: 'ECDHE-ECDSA-CHACHA20-POLY1305',
    TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: 'ECDHE-RSA-CHACHA20-POLY1305',
    TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
    TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
    TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
    TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
    TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: 'ECDHE-ECDSA-AES128-SHA256',
    TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: 'ECDHE-RSA-AES128-SHA256',
    TLS_RSA_WITH_AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
    TLS_RSA_WITH_AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
    TLS_RSA_WITH_AES_128_CBC_SHA: 'AES128-SHA',
    TLS_RSA_WITH_AES_256_CBC_SHA: 'AES256-SHA',
    TLS_RSA_WITH_AES_128_CBC_SHA256: 'AES128-SHA256',
    TLS_ECDHE_ECDSA_WITH_RC4_128_SHA: 'ECDHE-ECDSA-RC4-SHA',
    TLS_ECDHE_RSA_WITH_RC4_128_SHA: 'ECDHE-RSA-RC4-SHA',
    TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA: 'ECDHE-RSA-DES-CBC3-SHA',
    TLS_RSA_WITH_RC4_128_SHA: 'RC4-SHA',
    TLS_RSA_WITH_3DES_EDE_CBC_SHA: 'DES-CBC3-SHA',
  }),
);

/** All names that the flag takes. */
export const CIPHER_SUITES: readonly string[] = [...OPENSSL.keys(), ...TLS_1_3].sort();

/** The value of --tls-cipher-suites for OpenSSL. Throws for unknown names. */
export function opensslCiphers(names: readonly string[]): string {
  const older = names.flatMap((name) => {
    if (TLS_1_3.includes(name)) return [];
    const cipher = OPENSSL.get(name);
    if (cipher === undefined) throw new Error(`Cipher suite ${name} not supported or doesn't exist`);
    return [cipher];
  });
  return [...TLS_1_3, ...older].join(':');
}

/** What is wrong with the suites for a server of HTTP/2, in Go's words. */
export const http2CipherProblem = (names: readonly string[]): string | undefined =>
  names.length === 0 || names.some((name) => HTTP2_REQUIRES.includes(name))
    ? undefined
    : `http2: TLSConfig.CipherSuites is missing an HTTP/2-required AES_128_GCM_SHA256 cipher (need at least one of ${HTTP2_REQUIRES.join(' or ')})`;

/** By Go's CurveID. */
const CURVES: ReadonlyMap<number, string> = new Map([
  [23, 'P-256'],
  [24, 'P-384'],
  [25, 'P-521'],
  [29, 'X25519'],
  [4587, 'SecP256r1MLKEM768'],
  [4588, 'X25519MLKEM768'],
  [4589, 'SecP384r1MLKEM1024'],
]);

const MAX_CURVE = 65_535;

/** The value of --tls-curve-preferences for OpenSSL. Throws if it is invalid, or OpenSSL has none of the curves. */
export function opensslCurves(ids: readonly string[]): string {
  const seen = new Set<number>();
  const curves = ids.map((text) => {
    const id = Number(text);
    if (!/^-?\d+$/.test(text)) throw new Error(`curve preference ${JSON.stringify(text)} is not a number`);
    if (id <= 0 || id > MAX_CURVE) throw new Error(`curve preference ${id} is out of range (must be 1-${MAX_CURVE})`);
    if (seen.has(id)) throw new Error(`duplicate curve preference ${id}`);
    seen.add(id);
    const curve = CURVES.get(id);
    if (curve === undefined) throw new Error(`curve preference ${id} is not supported`);
    return curve;
  });
  const known = curves.filter(isKnownCurve);
  if (known.length === 0) throw new Error(`none of the curves ${curves.join(', ')} is in this OpenSSL`);
  return known.join(':');
}

/** Key exchanges after quantum computers are in OpenSSL 3.5. */
function isKnownCurve(curve: string): boolean {
  try {
    tls.createSecureContext({ ecdhCurve: curve });
    return true;
  } catch {
    return false;
  }
}
