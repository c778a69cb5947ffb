/**
 * kube-apiserver-serving-clustertrustbundle-publisher-controller: the CA of the API server as a ClusterTrustBundle, under a
 * name that changes with its content. Off by default, as the API is not there by default.
 */
import { createHash } from 'node:crypto';
import { defineResource, isAlreadyExists, isNotFound, keyOf, type ApiObject } from '../../client/index.ts';
import type { ControllerDescriptor } from '../controller.ts';

interface ClusterTrustBundle extends ApiObject {
  spec: { signerName?: string; trustBundle: string };
}

const SIGNER = 'kubernetes.io/kube-apiserver-serving';
const BUNDLES = defineResource<ClusterTrustBundle>({ group: 'certificates.k8s.io', version: 'v1beta1', plural: 'clustertrustbundles', kind: 'ClusterTrustBundle', namespaced: false });
const PERIOD_MS = 60_000;

export const clusterTrustBundlePublisherController: ControllerDescriptor = {
  name: 'kube-apiserver-serving-clustertrustbundle-publisher-controller',
  disabledByDefault: true,
  build(context) {
    const { client, clock, discovered, config, signal, logger } = context;
    discovered.use({});
    const name = bundleName(config.rootCa);

    const publish = async (): Promise<void> => {
      await discovered.settled();
      if (config.rootCa === '' || !discovered.findKind('certificates.k8s.io/v1beta1', 'ClusterTrustBundle')) return;
      const resource = client.resource(BUNDLES);
      const { items } = await resource.list({ fieldSelector: `spec.signerName=${SIGNER}`, signal });
      if (!items.some((bundle) => keyOf(bundle) === name)) {
        await resource.create({ metadata: { name }, spec: { signerName: SIGNER, trustBundle: config.rootCa } }, { signal }).catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
        });
      }
      for (const bundle of items) {
        if (keyOf(bundle) === name) continue;
        await resource.delete({ name: keyOf(bundle) }, { signal }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      }
    };

    return async () => {
      while (!signal.aborted) {
        await publish().catch((error: unknown) => signal.aborted || logger.error(error, 'Failed to publish the trust bundle'));
        await clock.sleep(PERIOD_MS, signal).catch(() => {});
      }
    };
  },
};

const bundleName = (bundle: string): string => `${SIGNER.replaceAll('/', ':')}:${createHash('sha256').update(bundle).digest('hex').slice(0, 24)}`;
