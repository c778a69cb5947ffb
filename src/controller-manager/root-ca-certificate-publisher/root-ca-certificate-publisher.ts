/** root-ca-certificate-publisher-controller: publishes the root CA as ConfigMap kube-root-ca.crt in every namespace. */
import type { ConfigMap } from '../../api/generated/core-v1.ts';
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from '../../client/index.ts';
import { exponentialBuckets } from '../../kernel/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import { enqueueOnChange, keyedLoop, type ControllerContext, type ControllerDescriptor } from '../controller.ts';

const NAME = 'kube-root-ca.crt';
const KEY = 'ca.crt';
const DESCRIPTION_ANNOTATION = 'kubernetes.io/description';
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. ' +
  'No other usage is guaranteed across distributions of Kubernetes clusters.';

export const rootCaCertificatePublisherController: ControllerDescriptor = {
  name: 'root-ca-certificate-publisher-controller',
  aliases: ['root-ca-cert-publisher'],
  build(context) {
    const { informers, config, signal } = context;
    /** Without a CA there is nothing to publish. */
    if (config.rootCa === '') return () => Promise.resolve();
    const data = { [KEY]: config.rootCa };
    const namespaces = informers.informer('v1/namespaces');
    const configMaps = informers.informer('v1/configmaps', { fieldSelector: `metadata.name=${NAME}` });

    const reconcile = async (name: string, { client }: ControllerContext): Promise<void> => {
      const namespace = namespaces.get(name);
      if (!namespace || namespace.status?.phase === 'Terminating' || namespace.metadata.deletionTimestamp) return;
      const existing = configMaps.get(`${name}/${NAME}`);
      try {
        if (!existing)
          await client.resource('v1/configmaps').create(
            {
              metadata: { name: NAME, namespace: name, annotations: { [DESCRIPTION_ANNOTATION]: DESCRIPTION } },
              data,
            },
            { signal },
          );
        else if (!isPublished(existing, config.rootCa)) {
          const annotations = { ...existing.metadata.annotations, [DESCRIPTION_ANNOTATION]: DESCRIPTION };
          await client
            .resource('v1/configmaps')
            .update({ ...existing, metadata: { ...existing.metadata, annotations }, data }, { signal });
        }
      } catch (error) {
        // The informer lags; its next event enqueues the namespace again.
        if (!isAlreadyExists(error) && !isNotFound(error) && !isNamespaceTerminating(error)) throw error;
      }
    };

    const { queue, run } = keyedLoop(context, 'root_ca_cert_publisher', 1, measured(context, reconcile));
    enqueueOnChange(namespaces, queue, (namespace) => namespace.metadata.name);
    enqueueOnChange(configMaps, queue, (configMap) => configMap.metadata.namespace);
    return run;
  },
};

function isPublished({ data = {}, metadata }: ConfigMap, ca: string): boolean {
  return (
    Object.keys(data).length === 1 && data[KEY] === ca && metadata.annotations?.[DESCRIPTION_ANNOTATION] === DESCRIPTION
  );
}

type Reconcile = (name: string, worker: ControllerContext) => Promise<void>;

function measured({ metrics, clock }: ControllerContext, reconcile: Reconcile): Reconcile {
  const syncs = metrics.counter({
    name: 'root_ca_cert_publisher_sync_total',
    help: 'Syncs of namespaces, by the code of the response.',
    labels: ['code'],
  });
  const seconds = metrics.histogram({
    name: 'root_ca_cert_publisher_sync_duration_seconds',
    help: 'Duration of a sync of a namespace, by the code of the response.',
    labels: ['code'],
    buckets: exponentialBuckets(0.001, 2, 15),
  });
  return async (name, worker) => {
    const started = clock.monotonic();
    let code = '200';
    try {
      await reconcile(name, worker);
    } catch (error) {
      code = String(isStatusError(error) ? error.code : 500);
      throw error;
    } finally {
      syncs.inc({ code });
      seconds.observe((clock.monotonic() - started) / 1000, { code });
    }
  };
}
