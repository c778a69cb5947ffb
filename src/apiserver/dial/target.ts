/** Where a connection of the API server goes. */
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import type { PeerCertificate } from 'node:tls';
import type { TlsTrust } from '../../net/tls/index.ts';

export interface Target {
  /** An IP address, or a name that is resolved when the connection is made. */
  readonly host: string;
  readonly port: number;
  /** Absent: plain TCP. */
  readonly tls?: TlsTrust;
  /** A connection inside this process, instead of one to the host and port; what comes over it is plain HTTP. */
  readonly connect?: () => Duplex;
}

/** A target that the dial policy has permitted. Nothing else is dialled: only the policy makes permits. */
export interface PermittedTarget extends Target {
  readonly permit: Permit;
}

export interface PermitChecks {
  /**
   * Resolves names and refuses addresses that may not be dialled; the connection goes to the addresses that it checked.
   */
  readonly lookup?: LookupFunction;
  /** Refuses a server by its certificate, before anything is sent to it. */
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

/** `host:port`, as URLs and Host headers have it. */
export const authorityOf = ({ host, port }: Pick<Target, 'host' | 'port'>): string => `${bracketed(host)}:${port}`;
