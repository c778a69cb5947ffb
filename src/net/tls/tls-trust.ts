/**
 * Which servers a TLS client trusts, and its own certificate. Every TLS client of the program connects through this.
 * OpenSSL does not decide: it accepts only self-signed anchors (before Node 22.9, and 20.18), takes a certificate's
 * common name for a host name, and adds the public roots. So the handshake runs without verification, and callers get
 * the connection after the server's certificate was verified as in Go's crypto/tls: no byte of a request is written,
 * and none of a response read, on a connection that is not trusted.
 */
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { errorMessage } from '../../base/index.ts';
import { RealClock } from '../../kernel/index.ts';
import { CertificateError, CertificateVerificationError } from './certificate-error.ts';
import { certificatesOfDer, type Certificate } from './certificate.ts';
import { peerChain } from './peer-chain.ts';
import { bundlePool, systemPool, type CertificatePool } from './trust-anchors.ts';
import { SERVER_AUTH, verifyChain } from './verify-chain.ts';

/** The machine's clock decides on validity unless the caller has another clock. */
const machineClock = new RealClock();
const machineTime = (): number => machineClock.now();

interface TlsTrustOptions {
  /** CA bundle (PEM), used instead of the machine's trust anchors. Absent or empty: the machine's. */
  readonly ca?: string | undefined;
  /** Trusts the machine's anchors in addition to `ca`. */
  readonly alsoSystem?: boolean;
  /** The server name for SNI, which the certificate must be for; default: the host. */
  readonly serverName?: string | undefined;
  /** Accepts every server certificate. */
  readonly insecureSkipVerify?: boolean | undefined;
  /** The client's own certificate and key, PEM. */
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
  /** The clock that decides on validity; default: the machine's. */
  readonly now?: () => number;
}

interface TlsEndpoint {
  /** The server's host. Its certificate must be for this host, unless there is a `serverName`. */
  readonly host: string;
  readonly port?: number | undefined;
  /** A connection to it, instead of a new one. */
  readonly socket?: Duplex | undefined;
  readonly alpnProtocols?: readonly string[] | undefined;
  readonly lookup?: LookupFunction | undefined;
  /** After this many idle milliseconds, the ready connection emits "timeout". */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How long the peer may be silent before the connection is ready. */
const CONNECT_MS = 30_000;

export class TlsTrust {
  readonly #options: TlsTrustOptions;
  readonly #bundle: CertificatePool | undefined;
  #context: tls.SecureContext | undefined;

  /** Throws for a bundle without a certificate. */
  constructor(options: TlsTrustOptions = {}) {
    this.#options = options;
    this.#bundle = options.ca ? bundlePool(options.ca) : undefined;
  }

  /** Connects and verifies the server. Rejects with a CertificateVerificationError when it is not trusted. */
  connect({
    host,
    port,
    socket,
    alpnProtocols = ['http/1.1'],
    lookup,
    timeout,
    signal,
  }: TlsEndpoint): Promise<tls.TLSSocket> {
    const name = bare(this.#options.serverName || host);
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const secured = tls.connect({
        ...(socket ? { socket } : { host: bare(host), port: port ?? 443 }),
        ...(lookup ? { lookup } : {}),
        ALPNProtocols: [...alpnProtocols],
        secureContext: this.#secureContext(),
        // Addresses are not sent as the server's name.
        servername: isIP(name) === 0 ? name : '',
        // Verified below instead.
        rejectUnauthorized: false,
      });
      const settle = (error?: unknown): void => {
        secured.off('error', settle).off('close', closed).off('timeout', late).off('secureConnect', verify);
        secured.setTimeout(timeout ?? 0);
        signal?.removeEventListener('abort', abort);
        if (error === undefined) return resolve(secured);
        secured.on('error', ignore);
        secured.destroy();
        reject(error instanceof Error ? error : new Error('aborted', { cause: error }));
      };
      const abort = (): void => settle(signal?.reason ?? new Error('aborted'));
      const closed = (): void => settle(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
      const late = (): void =>
        settle(Object.assign(new Error('i/o timeout'), { code: 'ETIMEDOUT', address: bare(host), port: port ?? 443 }));
      const verify = (): void => {
        try {
          this.verify(peerChain(secured), name);
        } catch (error) {
          return settle(error);
        }
        settle();
      };
      signal?.addEventListener('abort', abort, { once: true });
      secured.setTimeout(CONNECT_MS);
      secured.once('error', settle).once('close', closed).once('timeout', late).once('secureConnect', verify);
    });
  }

  /**
   * Throws a CertificateVerificationError when the server's certificates, its own first, are not valid for the name.
   */
  verify(chain: Buffer, name: string): void {
    if (this.#options.insecureSkipVerify === true) return;
    try {
      const [leaf, ...intermediates] = parsed(chain);
      this.#verifyChain(leaf, intermediates, name);
    } catch (error) {
      throw error instanceof CertificateError ? new CertificateVerificationError(error) : error;
    }
  }

  /**
   * For libraries that open connections themselves: OpenSSL verifies, too. An anchor that is not self-signed works from
   * Node 22.9 on, and in 20.
   */
  verifyingOptions(): {
    readonly secureContext: tls.SecureContext;
    readonly checkServerIdentity: (host: string, certificate: tls.PeerCertificate) => Error | undefined;
    readonly rejectUnauthorized?: false;
  } {
    const { ca, insecureSkipVerify, serverName } = this.#options;
    const options = {
      ...this.identity,
      ...(ca ? { ca } : {}),
      allowPartialTrustChain: true,
      minVersion: 'TLSv1.2' as const,
    };
    const checkServerIdentity = (host: string, certificate: tls.PeerCertificate): Error | undefined => {
      try {
        this.verify(
          peerChain({ getPeerCertificate: () => certificate as tls.DetailedPeerCertificate }),
          serverName || host,
        );
        return undefined;
      } catch (error) {
        return error as Error;
      }
    };
    return {
      secureContext: tls.createSecureContext(options),
      checkServerIdentity,
      ...(insecureSkipVerify === true ? { rejectUnauthorized: false as const } : {}),
    };
  }

  /** Node pools connections by this key: requests with different client certificates must not share one. */
  get identity(): Pick<TlsTrustOptions, 'cert' | 'key'> {
    const { cert, key } = this.#options;
    return { ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) };
  }

  #verifyChain(leaf: Certificate, intermediates: readonly Certificate[], host: string): void {
    const { now = machineTime, alsoSystem = false } = this.#options;
    const verify = (anchors: CertificatePool): void =>
      void verifyChain(leaf, { anchors, intermediates, now: now(), usage: SERVER_AUTH, host });
    if (!this.#bundle) return verify(systemPool());
    try {
      verify(this.#bundle);
    } catch (error) {
      if (!alsoSystem || !(error instanceof CertificateError) || error.code !== 'CERT_UNTRUSTED') throw error;
      verify(systemPool());
    }
  }

  /** Without authorities: loading Node's takes long, and OpenSSL does not verify. */
  #secureContext(): tls.SecureContext {
    return (this.#context ??= tls.createSecureContext({ ...this.identity, ca: [], minVersion: 'TLSv1.2' }));
  }
}

/**
 * For `https.request`: an agent whose connections are opened by a TlsTrust. Node does not tell an agent that a request was
 * aborted: callers do not wait for its error, which may come only after the handshake's timeout.
 */
export class TlsTrustAgent extends https.Agent {
  readonly #trust: TlsTrust | undefined;

  /** An agent without a trust needs one in each request: `https.request({ agent, ...trustOf(request) })`. */
  constructor(trust: TlsTrust | undefined, options: https.AgentOptions = {}) {
    super(options);
    this.#trust = trust;
  }

  override createConnection(
    options: https.RequestOptions & { readonly tlsTrust?: TlsTrust },
    made?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const { host, port, lookup, timeout } = options;
    const trust = options.tlsTrust ?? this.#trust;
    if (!trust) throw new Error('a request through a TlsTrustAgent needs a TlsTrust');
    trust.connect({ host: host ?? 'localhost', port: Number(port ?? 443), lookup, timeout }).then(
      (socket) => made?.(null, socket),
      (error: Error) => made?.(error, undefined as never),
    );
  }
}

/** The request options that give a trust to a TlsTrustAgent without one. */
export const withTrust = (trust: TlsTrust): https.RequestOptions =>
  ({ ...trust.identity, tlsTrust: trust }) as https.RequestOptions;

function parsed(chain: Buffer): [Certificate, ...Certificate[]] {
  try {
    const [leaf, ...rest] = certificatesOfDer(chain);
    if (leaf) return [leaf, ...rest];
  } catch (error) {
    throw new Error(`tls: failed to parse certificate from server: ${errorMessage(error)}`, { cause: error });
  }
  throw new Error('tls: received empty certificates message');
}

const bare = (host: string): string => (host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host);

const ignore = (): void => {};
