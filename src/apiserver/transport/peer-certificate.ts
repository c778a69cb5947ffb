/** The client's certificate, read once a connection. */
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { PeerCertificate } from '../request.ts';

const known = new WeakMap<object, PeerCertificate | null>();

export function peerCertificateOf(socket: Duplex | undefined): PeerCertificate | undefined {
  if (!socket) return undefined;
  const cached = known.get(socket);
  if (cached !== undefined) return cached ?? undefined;
  const found = readCertificate(socket);
  known.set(socket, found ?? null);
  return found;
}

/** HTTP/2 hands out a proxy of its socket, which is no TLSSocket itself but has its methods. */
function readCertificate(socket: Duplex): PeerCertificate | undefined {
  const secure = socket as unknown as Partial<TLSSocket>;
  if (typeof secure.getPeerCertificate !== 'function') return undefined;
  const { raw } = secure.getPeerCertificate();
  return raw && raw.length > 0 ? { raw, authorized: secure.authorized ?? false } : undefined;
}
