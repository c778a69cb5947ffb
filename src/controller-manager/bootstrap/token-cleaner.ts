/** token-cleaner-controller: deletes bootstrap tokens when they expire. */
import { keyOf, splitKey } from '../../client/index.ts';
import { enqueueOnChange, keyedLoop, type ControllerDescriptor, type Reconcile } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { BOOTSTRAP_TOKEN_SCOPE, expirationOf } from './bootstrap-tokens.ts';

export const tokenCleanerController: ControllerDescriptor = {
  name: 'token-cleaner-controller',
  aliases: ['tokencleaner'],
  disabledByDefault: true,
  build(context) {
    const { clock, informers, signal } = context;
    const tokens = informers.informer('v1/secrets', BOOTSTRAP_TOKEN_SCOPE);

    const reconcile: Reconcile = async (key, { client }, again) => {
      const secret = tokens.get(key);
      const at = secret && expirationOf(secret);
      if (!secret || at === undefined) return;
      if (at > clock.now()) return queue.addAfter(key, at - clock.now(), again);
      await ignoreNotFound(() =>
        client.resource('v1/secrets').delete(splitKey(key), {
          preconditions: { uid: secret.metadata.uid, resourceVersion: secret.metadata.resourceVersion },
          signal,
        }),
      );
    };

    const { queue, run } = keyedLoop(context, 'token_cleaner', 1, reconcile);
    enqueueOnChange(tokens, queue, keyOf);
    return run;
  },
};
