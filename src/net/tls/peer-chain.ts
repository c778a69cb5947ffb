/** The certificates of a connection's peer, as DER: its own, followed by its issuers. */
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';

/** A limit, because a certificate may be its own issuer. */
const MAX_CERTIFICATES = 10;

/** Empty when the peer sent no certificate. */
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
