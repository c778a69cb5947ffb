/**
 * Which servers a TLS client trusts, and its own certificate. Every TLS client of the program connects through this.
 *
 * OpenSSL does not decide: it knows no anchors but self-signed ones (before Node 22.9, and 20.18), takes a
 * certificate's common name for a host's, and adds the public roots. So the handshake is made without its verdict,
 * and the connection is given to nobody before the server's certificate has been verified as Go's crypto/tls does it:
 * no byte of a request is written, and none of an answer read, on a connection that is not trusted.
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

/** Certificates are valid by the machine's clock unless the caller has another. */
const machineClock = new RealClock();
const machineTime = (): number => machineClock.now();

interface TlsTrustOptions {
  /** CA bundle (PEM), used instead of the machine's trust anchors. Absent or empty: the machine's. */
  readonly ca?: string | undefined;
  /** Trusts the machine's anchors in addition to `ca`. */
  readonly alsoSystem?: boolean;
  /** The name to ask for and to expect in the certificate; the host that is dialled without it. */
  readonly serverName?: string | undefined;
  /** Accepts every server certificate. */
  readonly insecureSkipVerify?: boolean | undefined;
  /** The client's own certificate and key, PEM. */
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
  /** The time by which certificates are valid; the machine's without it. */
  readonly now?: () => number;
}

interface TlsEndpoint {
  /** Where the server is, and unless there is a `serverName`, what its certificate must be for. */
  readonly host: string;
  readonly port?: number | undefined;
  /** A connection to it, instead of a new one. */
  readonly socket?: Duplex | undefined;
  readonly alpnProtocols?: readonly string[] | undefined;
  readonly lookup?: LookupFunction | undefined;
  /** Milliseconds of silence, once it is ready, after which it says "timeout". */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How long the other side may be silent before the connection is ready. */
const CONNECT_MS = 30_000;

export class TlsTrust {
  readonly #options: TlsTrustOptions;
  readonly #bundle: CertificatePool | undefined;
  #context: tls.SecureContext | undefined;

  /** Throws when a bundle is given that holds no certificate. */
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
   * Throws a CertificateVerificationError when the server's certificates, its own first, are not to be believed for
   * the name.
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
   * For libraries that make connections of their own, and let OpenSSL verify: it has to agree besides. A certificate
   * that is an anchor without being self-signed is accepted from Node 22.9 on, and in 20.
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

  /** Node keeps connections by this: those with other client certificates are others. */
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

  /** Without authorities: loading those of Node takes long, and nobody asks OpenSSL. */
  #secureContext(): tls.SecureContext {
    return (this.#context ??= tls.createSecureContext({ ...this.identity, ca: [], minVersion: 'TLSv1.2' }));
  }
}

/** For `https.request`: keeps connections that a TlsTrust made. */
export class TlsTrustAgent extends https.Agent {
  readonly #trust: TlsTrust | undefined;

  /** Without a trust of its own each request has one: `https.request({ agent, ...trustOf(request) })`. */
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

/** The options of a request whose connection a trust is to make, through a TlsTrustAgent without one. */
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
