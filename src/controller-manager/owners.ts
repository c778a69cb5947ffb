/** Adoption: the controller of an object, and whether an owner may still adopt orphans. */
import { controllerOf, isNotFound, type ApiObject, type ResourceClient, type SharedInformer } from '../client/index.ts';

/** Reads the live owner, because an owner that is deleted or being deleted must not adopt. */
export async function mayAdopt<T extends ApiObject>(
  resource: ResourceClient<T>,
  owner: T,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace, name = '', uid } = owner.metadata;
  try {
    const live = await resource.get({ namespace, name }, { signal });
    return live.metadata.uid === uid && live.metadata.deletionTimestamp === undefined;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** The key of the object's controller; undefined when it is of another kind, or its uid differs. */
export function ownerKeyIn(
  owners: SharedInformer<ApiObject>,
  kind: { readonly kind: string; readonly apiVersion?: string },
) {
  return ({ metadata }: ApiObject): string | undefined => {
    const controller = controllerOf({ metadata });
    if (controller?.kind !== kind.kind || (kind.apiVersion !== undefined && controller.apiVersion !== kind.apiVersion))
      return undefined;
    const key = `${metadata.namespace}/${controller.name}`;
    return owners.get(key)?.metadata.uid === controller.uid ? key : undefined;
  };
}
