/** The target of an outgoing connection, and the permit of the dial policy for it. */
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import type { PeerCertificate } from 'node:tls';
import type { TlsTrust } from '../../net/tls/index.ts';

export interface Target {
  /** An IP address or a host name. */
  readonly host: string;
  readonly port: number;
  /** Absent: plain TCP. */
  readonly tls?: TlsTrust;
  /** Opens a plain HTTP connection inside this process, instead of one to host and port. */
  readonly connect?: () => Duplex;
}

/** A target that the dial policy has permitted. Only the policy creates permits, and the dialer requires one. */
export interface PermittedTarget extends Target {
  readonly permit: Permit;
}

export interface PermitChecks {
  /**
   * Resolves host names, and rejects forbidden addresses. The connection uses the addresses that it has checked.
   */
  readonly lookup?: LookupFunction;
  /** Rejects a server by its certificate, before anything is sent. */
  readonly checkPeer?: (certificate: PeerCertificate) => void;
}

/** The private field makes the type nominal: a literal is not a Permit. */
export class Permit {
  readonly #checks: PermitChecks;

  constructor(checks: PermitChecks = {}) {
    this.#checks = checks;
  }

  get checks(): PermitChecks {
    return this.#checks;
  }
}

export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** `host:port`, as in URLs and Host headers. */
export const authorityOf = ({ host, port }: Pick<Target, 'host' | 'port'>): string => `${bracketed(host)}:${port}`;
