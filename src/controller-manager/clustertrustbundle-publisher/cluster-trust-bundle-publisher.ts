/**
 * kube-apiserver-serving-clustertrustbundle-publisher-controller: publishes the CA of the API server as a
 * ClusterTrustBundle, whose name has a hash of the content. Off by default, as the API is.
 */
import { createHash } from 'node:crypto';
import {
  defineResource,
  isAlreadyExists,
  isNotFound,
  keyOf,
  type ApiObject,
  type Resource,
} from '../../client/index.ts';
import { keyedLoop, type ControllerContext, type ControllerDescriptor } from '../controller.ts';

interface ClusterTrustBundle extends ApiObject {
  spec: { signerName?: string; trustBundle: string };
}

const SIGNER = 'kubernetes.io/kube-apiserver-serving';
/** The only key: every event causes the same sync. */
const KEY = 'publish';

export const clusterTrustBundlePublisherController: ControllerDescriptor = {
  name: 'kube-apiserver-serving-clustertrustbundle-publisher-controller',
  disabledByDefault: true,
  build(context) {
    const { discovered, config, signal } = context;
    const trustBundle = config.rootCa;
    const name = bundleName(trustBundle);
    if (trustBundle === '') return () => Promise.resolve();

    const publish = async (_key: string, { client }: ControllerContext): Promise<void> => {
      // Any served version, the preferred one first.
      const bundles = discovered.resources.find(isBundles);
      if (!bundles) return;
      const resource = client.resource(defineResource<ClusterTrustBundle>(bundles));
      const { items } = await resource.list({ fieldSelector: `spec.signerName=${SIGNER}`, signal });
      const published = items.find((bundle) => keyOf(bundle) === name);
      if (!published)
        await unless(
          isAlreadyExists,
          resource.create({ metadata: { name }, spec: { signerName: SIGNER, trustBundle } }, { signal }),
        );
      else if (published.spec.trustBundle !== trustBundle)
        await resource.update({ ...published, spec: { ...published.spec, trustBundle } }, { signal });
      for (const bundle of items) {
        if (bundle !== published) await unless(isNotFound, resource.delete({ name: keyOf(bundle) }, { signal }));
      }
    };

    const { queue, run } = keyedLoop(context, 'cluster_trust_bundle_publisher', 1, publish);
    const enqueue = (resource: Resource): void => {
      if (isBundles(resource)) queue.add(KEY);
    };
    discovered.use({ onAdd: enqueue, onUpdate: enqueue, onDelete: enqueue, onNewResources: () => queue.add(KEY) });
    return run;
  },
};

const isBundles = ({ group, plural }: Resource): boolean =>
  group === 'certificates.k8s.io' && plural === 'clustertrustbundles';

const bundleName = (bundle: string): string =>
  `${SIGNER.replaceAll('/', ':')}:${createHash('sha256').update(bundle).digest('hex').slice(0, 24)}`;

/** Another client has created or deleted the object meanwhile. */
async function unless(isExpected: (error: unknown) => boolean, write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!isExpected(error)) throw error;
  });
}
