/** When a certificate is renewed: the same for kubelets, the API server and the admin's kubeconfig. */
import { X509Certificate } from 'node:crypto';
import type { Clock, Context } from '../../kernel/index.ts';

interface Validity {
  /** Milliseconds since the epoch. */
  readonly validFrom: number;
  readonly validTo: number;
}

/** Of the first certificate of the PEM. */
export function validityOf(pem: string): Validity {
  const { validFrom, validTo } = new X509Certificate(pem);
  return { validFrom: Date.parse(validFrom), validTo: Date.parse(validTo) };
}

/** Whether the first certificate of `authority` has signed it: others of a bundle are trusted, and sign no more. */
export const isSignedBy = (certificate: string, authority: string): boolean =>
  new X509Certificate(certificate).verify(new X509Certificate(authority).publicKey);

/** Between 70 and 90 percent of the certificate's lifetime, so that not all are renewed at once. */
export const nextRotationDeadline = ({ validFrom, validTo }: Validity, random: { next(): number }): number =>
  validFrom + (validTo - validFrom) * (0.7 + 0.2 * random.next());

/** After the last deadline that `nextRotationDeadline` gives. */
export const isRotationOverdue = ({ validFrom, validTo }: Validity, now: number): boolean =>
  now >= validFrom + (validTo - validFrom) * 0.9;

/** Timers cannot wait for a year. */
const MAX_SLEEP_MS = 24 * 3600_000;

/** Resolves at the time, or when the context ends. The clock may be set meanwhile. */
export async function sleepUntil(
  { clock, signal }: { readonly clock: Clock; readonly signal: Context['signal'] },
  time: number,
): Promise<void> {
  while (!signal.aborted && clock.now() < time)
    await clock.sleep(Math.min(MAX_SLEEP_MS, time - clock.now()), signal).catch(() => undefined);
}
