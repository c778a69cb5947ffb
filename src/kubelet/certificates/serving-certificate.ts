/** A serving certificate that the cluster signed; until somebody approves it, the kubelet shows one of its own making. */
import type { Client } from '../../client/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import { messageOf } from '../images/image-manager.ts';
import { expiryOf } from './client-certificate.ts';
import { requestCertificate, type IssuedCertificate } from './request-certificate.ts';

const RETRY_MS = 60_000;
const LONGEST_SLEEP_MS = 24 * 3600_000;

export interface ServingCertificateOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly names: readonly string[];
  readonly onCertificate: (issued: IssuedCertificate) => void;
}

export async function keepServingCertificate(outer: Context, { client, nodeName, names, onCertificate }: ServingCertificateOptions): Promise<void> {
  const ctx = childContext(outer, 'serving-certificate');
  const { clock, random, signal, logger } = ctx;
  while (!signal.aborted) {
    try {
      const issued = await requestCertificate(ctx, client, { signerName: 'kubernetes.io/kubelet-serving', nodeName, names });
      onCertificate(issued);
      const life = expiryOf(issued.certificate) - clock.now();
      const renewAt = clock.now() + life * (0.7 + 0.2 * random.next());
      while (!signal.aborted && clock.now() < renewAt) await clock.sleep(Math.min(LONGEST_SLEEP_MS, renewAt - clock.now()), signal);
    } catch (error) {
      if (signal.aborted) return;
      logger.v(1).info('No serving certificate yet', { err: messageOf(error) });
      await clock.sleep(RETRY_MS, signal).catch(() => {});
    }
  }
}
