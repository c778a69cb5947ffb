/**
 * certificatesigningrequest-cleaner-controller: deletes requests that were answered an hour ago, that are pending
 * for a day, or whose certificate has expired.
 */
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import { parseTime } from '../../base/index.ts';
import { isNotFound, keyOf } from '../../client/index.ts';
import * as x509 from '../../net/x509/index.ts';
import type { ControllerDescriptor } from '../controller.ts';
import { hasCondition } from './request.ts';

const HOUR_MS = 3600_000;
const ANSWERED_MS = HOUR_MS;
const PENDING_MS = 24 * HOUR_MS;

export const certificateSigningRequestCleanerController: ControllerDescriptor = {
  name: 'certificatesigningrequest-cleaner-controller',
  aliases: ['csrcleaner'],
  build(context) {
    const { client, clock, informers, signal, logger } = context;
    const requests = informers.informer('certificates.k8s.io/v1/certificatesigningrequests');

    const clean = async (): Promise<void> => {
      for (const request of requests.list()) {
        if (!isOver(request, clock.now())) continue;
        // An error about one request must not delay the others by another hour.
        await client
          .resource('certificates.k8s.io/v1/certificatesigningrequests')
          .delete({ name: keyOf(request) }, { preconditions: { uid: request.metadata.uid }, signal })
          .catch((error: unknown) => {
            if (!isNotFound(error) && !signal.aborted)
              logger.error(error, 'Failed to clean up certificate signing requests', { csr: keyOf(request) });
          });
      }
    };

    return async () => {
      while (!signal.aborted) {
        await clean();
        await clock.sleep(HOUR_MS, signal).catch(() => {});
      }
    };
  },
};

function isOver(request: CertificateSigningRequest, now: number): boolean {
  const { conditions = [], certificate } = request.status ?? {};
  if (certificate && isExpired(certificate, now)) return true;
  const answered = conditions.filter(
    ({ type }) => type === 'Denied' || type === 'Failed' || (type === 'Approved' && certificate),
  );
  if (
    answered.some(({ lastUpdateTime }) => lastUpdateTime !== undefined && now - parseTime(lastUpdateTime) > ANSWERED_MS)
  )
    return true;
  const { creationTimestamp } = request.metadata;
  const pending =
    !hasCondition(request, 'Approved') && !hasCondition(request, 'Denied') && !hasCondition(request, 'Failed');
  const unsigned = hasCondition(request, 'Approved') && !certificate;
  return (pending || unsigned) && creationTimestamp !== undefined && now - parseTime(creationTimestamp) > PENDING_MS;
}

function isExpired(certificate: string, now: number): boolean {
  try {
    return x509.certificateInPem(Buffer.from(certificate, 'base64').toString('latin1')).notAfter.getTime() < now;
  } catch {
    return false;
  }
}
