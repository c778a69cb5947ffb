/** podcertificaterequest-cleaner-controller: deletes PodCertificateRequests a quarter of an hour after their creation. */
import { parseTime } from '../../base/index.ts';
import { isNotFound, keyOf } from '../../client/index.ts';
import { periodicLoop, type ControllerDescriptor } from '../controller.ts';

const LIFETIME_MS = 15 * 60_000;
const PERIOD_MS = 5 * 60_000;

export const podCertificateRequestCleanerController: ControllerDescriptor = {
  name: 'podcertificaterequest-cleaner-controller',
  build(context) {
    const { client, clock, discovered, signal, logger } = context;
    discovered.use({});
    const requests = client.resource('certificates.k8s.io/v1beta1/podcertificaterequests');

    const clean = async (): Promise<void> => {
      // Without an informer the API is not served.
      const informer = discovered.informer('certificates.k8s.io', 'podcertificaterequests');
      for (const { metadata } of informer?.list() ?? []) {
        if (clock.now() < parseTime(metadata.creationTimestamp ?? '') + LIFETIME_MS) continue;
        const place = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
        await requests.delete(place, { preconditions: { uid: metadata.uid }, signal }).catch((error: unknown) => {
          if (!isNotFound(error) && !signal.aborted)
            logger.error(error, 'Error while attempting to clean PodCertificateRequest', { pcr: keyOf({ metadata }) });
        });
      }
    };

    return periodicLoop(context, {
      periodMs: PERIOD_MS,
      failure: 'Unable to list PodCertificateRequests',
      work: clean,
    });
  },
};
