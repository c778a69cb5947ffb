/** serviceaccount-controller: every active namespace has a ServiceAccount `default`. */
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from '../../client/index.ts';
import { enqueueOnChange, keyedLoop, type ControllerContext, type ControllerDescriptor } from '../controller.ts';

const DEFAULT_ACCOUNT = 'default';

export const serviceAccountController: ControllerDescriptor = {
  name: 'serviceaccount-controller',
  aliases: ['serviceaccount'],
  build(context) {
    const namespaces = context.informers.informer('v1/namespaces');
    const accounts = context.informers.informer('v1/serviceaccounts');

    const reconcile = async (name: string, { client }: ControllerContext): Promise<void> => {
      const namespace = namespaces.get(name);
      if (!namespace || namespace.status?.phase === 'Terminating' || namespace.metadata.deletionTimestamp) return;
      if (accounts.get(`${name}/${DEFAULT_ACCOUNT}`)) return;
      try {
        await client.resource('v1/serviceaccounts').create({ metadata: { name: DEFAULT_ACCOUNT, namespace: name } });
      } catch (error) {
        if (!isAlreadyExists(error) && !isNamespaceTerminating(error) && !isNotFound(error)) throw error;
      }
    };

    const { queue, run } = keyedLoop(context, 'serviceaccount', 1, reconcile);
    enqueueOnChange(namespaces, queue, (namespace) => namespace.metadata.name);
    accounts.addHandler({
      onDelete: (account) => account.metadata.name === DEFAULT_ACCOUNT && queue.add(account.metadata.namespace ?? ''),
    });
    return run;
  },
};
