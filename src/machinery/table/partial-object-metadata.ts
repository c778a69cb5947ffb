/** PartialObjectMetadata (`as=PartialObjectMetadata`): an object's metadata alone. */
import type { ListMeta, ObjectMeta } from '../../api/generated/meta-v1.ts';
import type { KubeObject } from '../index.ts';

export interface PartialObjectMetadata {
  kind: 'PartialObjectMetadata';
  apiVersion: string;
  metadata: ObjectMeta;
}

interface PartialObjectMetadataList {
  kind: 'PartialObjectMetadataList';
  apiVersion: string;
  metadata: ListMeta;
  items: PartialObjectMetadata[];
}

export function partialObjectMetadata(object: KubeObject, apiVersion = 'meta.k8s.io/v1'): PartialObjectMetadata {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata };
}

export function partialObjectMetadataList(
  list: { readonly metadata: ListMeta; readonly items: readonly KubeObject[] },
  apiVersion = 'meta.k8s.io/v1',
): PartialObjectMetadataList {
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion,
    metadata: list.metadata,
    items: list.items.map((item) => partialObjectMetadata(item, apiVersion)),
  };
}
