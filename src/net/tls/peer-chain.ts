/**
 * What the other side of a connection sent as its certificate, as DER: its own, and behind it those that vouch for
 * it.
 */
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';

/** More than any chain has; some link to themselves. */
const MAX_CERTIFICATES = 10;

/** Empty when it sent none. */
export function peerChain(socket: Pick<TLSSocket, 'getPeerCertificate'>): Buffer {
  const chain: Buffer[] = [];
  let certificate: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (certificate?.raw && chain.length < MAX_CERTIFICATES) {
    const { raw } = certificate;
    if (chain.some((other) => other.equals(raw))) break;
    chain.push(raw);
    certificate = certificate.issuerCertificate;
  }
  return chain.length === 1 ? chain[0]! : Buffer.concat(chain);
}
