/**
 * A small operator: every ConfigMap labelled `replicate: "true"` in the namespace `shared` is copied to all other
 * namespaces. It is written with @kubernetes/client-node and knows nothing of k8ts.
 */
import { CoreV1Api, makeInformer } from '@kubernetes/client-node';

export async function startOperator(kubeConfig) {
  const api = kubeConfig.makeApiClient(CoreV1Api);
  const list = () => api.listNamespacedConfigMap({ namespace: 'shared', labelSelector: 'replicate=true' });
  const informer = makeInformer(kubeConfig, '/api/v1/namespaces/shared/configmaps', list, 'replicate=true');
  const replicate = async ({ metadata, data }) => {
    for (const {
      metadata: { name: namespace },
    } of (await api.listNamespace()).items) {
      if (namespace === 'shared' || namespace.startsWith('kube-')) continue;
      const body = { metadata: { name: metadata.name, namespace }, data };
      try {
        await api.createNamespacedConfigMap({ namespace, body });
      } catch (error) {
        if (error.code !== 409) throw error;
        await api.replaceNamespacedConfigMap({ namespace, name: metadata.name, body });
      }
    }
  };
  const work = (object) => replicate(object).catch((error) => console.error('replicating failed', error));
  informer.on('add', work);
  informer.on('update', work);
  informer.on('error', () => void informer.start());
  await informer.start();
  return { stop: () => informer.stop() };
}
