/** Verifies client certificates against a CA bundle that may change at runtime, and returns the client's subject. */
import type { Clock } from '../../kernel/index.ts';
import { certificatesOfDer, certificatesOfPem, type Certificate } from './certificate.ts';
import type { Name } from './name.ts';
import { CertificatePool } from './trust-anchors.ts';
import { CLIENT_AUTH, verifyChain } from './verify-chain.ts';

/** The certificates that a client has sent; one object for each connection. */
export interface ClientChain {
  /** DER: the client's own certificate, followed by the others that it sent. */
  readonly raw: Buffer;
}

interface Checked {
  readonly bundle: string;
  readonly subject: Name;
  /** The verified chain; the validity of every certificate counts. */
  readonly chain: readonly Certificate[];
  readonly problem?: Error;
  /** When it was verified. */
  readonly at: number;
}

/** A refused certificate is verified again after this long: it may have become valid. */
const REFUSED_MS = 10_000;

export class ClientCertificates {
  readonly #checked = new WeakMap<ClientChain, Checked>();
  #bundle = '';
  #anchors = new CertificatePool([]);
  readonly #clock: Clock;
  readonly #clientCa: () => string;

  constructor(clock: Clock, clientCa: () => string) {
    this.#clock = clock;
    this.#clientCa = clientCa;
  }

  /** The subject of a valid certificate, or the error. */
  verify(peer: ClientChain): Name | Error {
    const bundle = this.#clientCa();
    const now = this.#clock.now();
    let checked = this.#checked.get(peer);
    if (checked?.bundle !== bundle || isOutdated(checked, now)) {
      checked = this.#check(peer, bundle, now);
      this.#checked.set(peer, checked);
    }
    return checked.problem ?? checked.subject;
  }

  #check(peer: ClientChain, bundle: string, now: number): Checked {
    if (bundle !== this.#bundle) {
      this.#anchors = new CertificatePool(certificatesOfPem(bundle));
      this.#bundle = bundle;
    }
    const none: Name = { raw: Buffer.alloc(0), attributes: [] };
    try {
      const [leaf, ...intermediates] = certificatesOfDer(peer.raw);
      if (!leaf) return { bundle, subject: none, chain: [], problem: new Error('no certificate'), at: now };
      const chain = verifyChain(leaf, { anchors: this.#anchors, intermediates, now, usage: CLIENT_AUTH });
      return { bundle, subject: leaf.subject, chain, at: now };
    } catch (error) {
      return {
        bundle,
        subject: none,
        chain: [],
        problem: error instanceof Error ? error : new Error(String(error)),
        at: now,
      };
    }
  }
}

const isOutdated = ({ chain, problem, at }: Checked, now: number): boolean =>
  problem
    ? Math.abs(now - at) >= REFUSED_MS
    : chain.some(({ notBefore, notAfter }) => now < notBefore || now >= notAfter + 1000);
