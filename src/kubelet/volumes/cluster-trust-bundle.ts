/** clusterTrustBundle projections: the deduplicated certificates of ClusterTrustBundles. */
import type { ClusterTrustBundleProjection } from '../../api/generated/core-v1.ts';
import { pemBlocks } from '../../base/index.ts';
import { defineResource, type ApiObject } from '../../client/index.ts';
import { labelSelectorAsSelector } from '../../machinery/selectors/index.ts';
import type { PayloadFile } from './atomic-writer.ts';
import { VolumeError, type VolumeRequest } from './volume.ts';

interface ClusterTrustBundle extends ApiObject {
  spec: { signerName?: string; trustBundle: string };
}

/** Served only when the beta API is enabled. */
const CLUSTER_TRUST_BUNDLES = defineResource<ClusterTrustBundle>({
  group: 'certificates.k8s.io',
  version: 'v1beta1',
  plural: 'clustertrustbundles',
  kind: 'ClusterTrustBundle',
  namespaced: false,
});

export async function trustBundleFile(
  source: ClusterTrustBundleProjection,
  { host }: VolumeRequest,
  mode: number,
): Promise<Map<string, PayloadFile>> {
  const { name, signerName, labelSelector, optional = false, path } = source;
  const bundles = host.client.resource(CLUSTER_TRUST_BUNDLES);
  const { items } = await bundles.list(
    name ? { fieldSelector: `metadata.name=${name}` } : { fieldSelector: `spec.signerName=${signerName ?? ''}` },
  );
  const matcher = name || labelSelector === undefined ? undefined : labelSelectorAsSelector(labelSelector);
  const chosen = items.filter(({ metadata }) => (name ? true : (matcher?.matches(metadata.labels ?? {}) ?? false)));
  if (chosen.length === 0 && !optional) {
    throw new VolumeError(
      name
        ? `clustertrustbundle.certificates.k8s.io ${JSON.stringify(name)} not found`
        : `combination of signerName and labelSelector matched zero ClusterTrustBundles`,
    );
  }
  const certificates = new Set(chosen.flatMap(({ spec }) => certificatesOf(spec.trustBundle)));
  return new Map([[path, { data: Buffer.from(Array.from(certificates, (pem) => `${pem}\n`).join('')), mode }]]);
}

const certificatesOf = (bundle: string): string[] =>
  Array.from(pemBlocks(bundle))
    .filter(({ type }) => type === 'CERTIFICATE')
    .map(({ text }) => text);
