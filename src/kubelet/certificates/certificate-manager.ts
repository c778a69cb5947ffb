/** The certificate manager: rotates a certificate by a new CertificateSigningRequest before it expires. */
import { errorMessage } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import { isSignedBy, nextRotationDeadline, sleepUntil } from '../../net/tls/index.ts';
import type { CertificateStore } from './certificate-store.ts';
import { requestCertificate, type CertificateRequestOptions, type IssuedCertificate } from './request-certificate.ts';

interface CertificateManagerOptions {
  readonly name: string;
  readonly client: Client;
  readonly store: CertificateStore;
  readonly order: CertificateRequestOptions;
  /** PEM of the CA that signs: certificates of another one are renewed at once. Absent: whoever signed it. */
  readonly issuer?: string | undefined;
  /** Called with every new certificate. */
  readonly onCertificate: (issued: IssuedCertificate) => void;
}

const INITIAL_RETRY_MS = 2000;
const MAX_RETRY_MS = 128_000;

export async function runCertificateManager(
  outer: Context,
  { name, client, store, order, issuer, onCertificate }: CertificateManagerOptions,
): Promise<void> {
  const ctx = childContext(outer, name);
  const { clock, random, signal, logger } = ctx;
  const isForeign = (certificate: string): boolean => issuer !== undefined && !isSignedBy(certificate, issuer);
  let retryMs = INITIAL_RETRY_MS;
  while (!signal.aborted) {
    const current = await store.current();
    const isDue = current === undefined || isForeign(current.certificate);
    if (!isDue) await sleepUntil(ctx, nextRotationDeadline(current, random));
    if (signal.aborted) return;
    try {
      const issued = await requestCertificate(ctx, client, order);
      await store.store(issued, clock.now());
      logger.info('Certificate rotated', { signer: order.signerName });
      onCertificate(issued);
      // While servers exchange their CA one after the other, the one that signs may still have the old key.
      if (isForeign(issued.certificate)) throw new Error('another CA has signed it');
      retryMs = INITIAL_RETRY_MS;
    } catch (error) {
      if (signal.aborted) return;
      logger
        .v(1)
        .info('Certificate request was not signed, will retry', { signer: order.signerName, err: errorMessage(error) });
      await clock.sleep(retryMs, signal).catch(() => {});
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    }
  }
}
