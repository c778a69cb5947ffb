/** Who is at the other end of a connection: read once, not for each of its requests. */
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { PeerCertificate } from '../request.ts';

export interface Peer {
  readonly remoteAddress: string;
  readonly certificate?: PeerCertificate;
  /** What it last sent. */
  authorization?: string;
}

const known = new WeakMap<object, Peer>();

/** `connection` is a socket, or an HTTP/2 session, whose socket is a proxy that is slow to ask. */
export function peerOf(connection: Duplex | { readonly socket: Duplex } | undefined): Peer {
  if (!connection) return { remoteAddress: '' };
  let peer = known.get(connection);
  if (!peer) {
    peer = readPeer('socket' in connection ? connection.socket : connection);
    known.set(connection, peer);
  }
  return peer;
}

/**
 * A client sends the same credential with each request, and gets a new string of it each time. Comparing it with the last
 * one is much faster than looking it up; the last one itself is looked up without being read again.
 */
export function sameAuthorization(peer: Peer, authorization: string): string {
  if (peer.authorization !== authorization) peer.authorization = authorization;
  return peer.authorization;
}

/** HTTP/2 hands out a proxy of its socket, which is no TLSSocket itself but has its methods. */
function readPeer(socket: Duplex | undefined): Peer {
  const secure = (socket ?? {}) as Partial<TLSSocket>;
  const { raw } = secure.getPeerCertificate?.() ?? {};
  return {
    remoteAddress: secure.remoteAddress ?? '',
    ...(raw && raw.length > 0 ? { certificate: { raw, authorized: secure.authorized ?? false } } : {}),
  };
}
