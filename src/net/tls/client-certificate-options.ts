/** How a TLS server asks for client certificates, so that `peerChain` returns all that the client has sent. */
import { constants } from 'node:crypto';
import type { SecureContextOptions, TlsOptions } from 'node:tls';

/**
 * An expired revocation list of nobody. With a list OpenSSL wants one of every issuer, so that it verifies no client
 * certificate. It is not OpenSSL that decides (ClientCertificates does), and Node 24.21 and 26.8 forget the chain of a
 * certificate that OpenSSL has verified.
 */
const LIST_OF_NOBODY = `-----BEGIN X509 CRL-----
MIGTMDswCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEbm9uZRcNNzAwMTAxMDAwMDAw
WhcNNzAwMTAyMDAwMDAwWjAKBggqhkjOPQQDAgNIADBFAiEAtmRrnbdHPGg6TP7F
9qKKOCMFN4DZJBaz8Y5A0v5p/R4CIESz0wukAn/NFujMZm/QhsXk89uAk3M9oT7d
LgY1Yfb3
-----END X509 CRL-----
`;

type Asked = Required<
  Pick<TlsOptions & SecureContextOptions, 'ca' | 'crl' | 'secureOptions' | 'requestCert' | 'rejectUnauthorized'>
>;

/** The server names the CAs of the bundle to its clients, which select their certificate by them. */
export const clientCertificateOptions = (clientCa: string | Buffer | undefined): Asked => ({
  // Nothing said would mean the public roots.
  ca: clientCa ?? [],
  crl: LIST_OF_NOBODY,
  // A resumed session has the client's own certificate alone, without its intermediates.
  secureOptions: constants.SSL_OP_NO_TICKET,
  requestCert: true,
  // An unknown client certificate does not break the connection: it authenticates nobody.
  rejectUnauthorized: false,
});
