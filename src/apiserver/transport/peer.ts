/** The client of a connection: determined once, not for each of its requests. */
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { peerChain } from '../../net/tls/index.ts';
import type { PeerCertificate } from '../request/request.ts';

interface Peer {
  readonly remoteAddress: string;
  readonly certificate?: PeerCertificate;
  /** The last Authorization header. */
  authorization?: string;
}

const known = new WeakMap<Duplex, Peer>();

export function peerOf(socket: Duplex): Peer {
  let peer = known.get(socket);
  if (!peer) known.set(socket, (peer = readPeer(socket)));
  return peer;
}

/**
 * A client sends the same credential with each request, as a new string each time. Comparing it with the last one is
 * much faster than looking up a new string, whose hash is not known yet.
 */
export function sameAuthorization(peer: Peer, authorization: string): string {
  if (peer.authorization !== authorization) peer.authorization = authorization;
  return peer.authorization;
}

/** A connection of another thread is not a TLSSocket but has its methods; a plain socket has not. */
function readPeer(socket: Duplex): Peer {
  const secure = socket as Partial<TLSSocket>;
  const raw = secure.getPeerCertificate && peerChain(secure as TLSSocket);
  return {
    remoteAddress: secure.remoteAddress ?? '',
    ...(raw && raw.length > 0 ? { certificate: { raw } } : {}),
  };
}
