/**
 * legacy-serviceaccount-token-cleaner-controller: token Secrets that were once made for accounts by themselves and that
 * nobody has used for a year are marked invalid, and a year later deleted.
 */
import type { Secret } from '../../api/generated/core-v1.ts';
import { parseTime } from '../../base/index.ts';
import { isConflict, isNotFound, keyOf } from '../../client/index.ts';
import type { ControllerDescriptor } from '../controller.ts';
import { accountKeyOf, isTokenOf, TOKEN_SECRET_TYPE } from './token-secrets.ts';

const PERIOD_MS = 24 * 3600_000;
const TRACKING = { namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' };
const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';

export const legacyServiceAccountTokenCleanerController: ControllerDescriptor = {
  name: 'legacy-serviceaccount-token-cleaner-controller',
  aliases: ['legacy-service-account-token-cleaner'],
  build(context) {
    const { client, clock, informers, config, signal, logger } = context;
    const accounts = informers.informer('v1/serviceaccounts');
    const secrets = informers.informer('v1/secrets', { fieldSelector: `type=${TOKEN_SECRET_TYPE}` });
    const pods = informers.informer('v1/pods');
    const resource = client.resource('v1/secrets');
    const unusedMs = config.legacyTokenCleanUpPeriodSeconds * 1000;

    /** Since when uses are noted; before that nothing is known. */
    const trackedSince = async (): Promise<number | undefined> => {
      try {
        return dayOf((await client.resource('v1/configmaps').get(TRACKING, { signal })).data?.['since']);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    };

    const clean = async (): Promise<void> => {
      const since = await trackedSince();
      const now = clock.now();
      if (since === undefined || now - since < unusedMs) return;
      const mounted = new Set(
        pods
          .list()
          .flatMap((pod) =>
            (pod.spec?.volumes ?? []).flatMap((volume) =>
              volume.secret ? [`${pod.metadata.namespace}/${volume.secret.secretName}`] : [],
            ),
          ),
      );
      for (const secret of secrets.list()) {
        if (!wasMadeForAccount(secret) || mounted.has(keyOf(secret)) || now - createdAt(secret) < unusedMs) continue;
        try {
          await cleanOne(secret, now);
        } catch (error) {
          if (!isNotFound(error) && !isConflict(error)) throw error;
        }
      }
    };

    const wasMadeForAccount = (secret: Secret): boolean => {
      const account = accounts.get(accountKeyOf(secret) ?? '');
      return (
        account !== undefined &&
        isTokenOf(secret, account) &&
        (account.secrets ?? []).some(({ name }) => name === secret.metadata.name)
      );
    };

    const cleanOne = async (secret: Secret, now: number): Promise<void> => {
      const { namespace, name = '', uid, resourceVersion, labels = {} } = secret.metadata;
      const used = dayOf(labels[LAST_USED]);
      if (used !== undefined && now - used < unusedMs) {
        if (labels[INVALID_SINCE] !== undefined) await mark(secret, null);
        return;
      }
      const invalid = dayOf(labels[INVALID_SINCE]);
      if (invalid === undefined) await mark(secret, new Date(now).toISOString().slice(0, 10));
      else if (now - invalid >= unusedMs)
        await resource.delete({ namespace, name }, { preconditions: { uid, resourceVersion }, signal });
    };

    const mark = (secret: Secret, day: string | null) =>
      resource.patch(
        { namespace: secret.metadata.namespace, name: secret.metadata.name ?? '' },
        { metadata: { uid: secret.metadata.uid, labels: { [INVALID_SINCE]: day } } },
        { type: 'merge', signal },
      );

    return async () => {
      while (!signal.aborted) {
        await clean().catch(
          (error: unknown) => signal.aborted || logger.error(error, 'Failed to clean up legacy tokens'),
        );
        await clock.sleep(PERIOD_MS, signal).catch(() => {});
      }
    };
  },
};

const createdAt = ({ metadata: { creationTimestamp } }: Secret): number =>
  creationTimestamp ? parseTime(creationTimestamp) : 0;

function dayOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : undefined;
}
