/**
 * OwnerReferencesPermissionEnforcement: a user who changes an object's owners must be allowed to delete the object; a user
 * who sets blockOwnerDeletion must be allowed to set finalizers on the owner.
 */
import type { OwnerReference } from '../../api/generated/meta-v1.ts';
import { deepEqual } from '../../base/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AuthorizationAttributes, Authorizer } from '../authz/authorizer.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { newForbidden } from './new-forbidden.ts';
import { isForResource } from './request-objects.ts';

export function ownerReferencesPermissionEnforcementPlugin(
  registry: Registry,
  authorizer: Authorizer,
): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    operations: ['CREATE', 'UPDATE'],
    // Old kubelets garble ownerReferences in pods/status; the strategy of pods ignores them there.
    matches: (attributes) =>
      !(isForResource(attributes, '', 'pods') && attributes.subresource === 'status') && changesOwners(attributes),
    async validate(attributes) {
      if (attributes.operation !== 'CREATE') await checkMayDelete(authorizer, attributes);
      for (const ref of newlyBlocking(attributes)) await checkMaySetFinalizers(registry, authorizer, attributes, ref);
    },
  };
}

async function checkMayDelete(authorizer: Authorizer, attributes: AdmissionAttributes): Promise<void> {
  const { served, namespace, subresource, name } = attributes;
  const denial = await denialOf(authorizer, attributes, {
    verb: 'delete',
    apiGroup: served.group,
    apiVersion: served.version,
    namespace,
    resource: served.plural,
    subresource,
    name,
  });
  if (denial !== undefined)
    throw newForbidden(attributes, `cannot set an ownerRef on a resource you can't delete: ${denial}`);
}

async function checkMaySetFinalizers(
  registry: Registry,
  authorizer: Authorizer,
  attributes: AdmissionAttributes,
  ref: OwnerReference,
): Promise<void> {
  const owners = resourcesOf(registry, ref);
  if (owners.length === 0) {
    throw newForbidden(
      attributes,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${ref.apiVersion} Kind ${ref.kind}: no matches for kind "${ref.kind}" in version "${ref.apiVersion}"`,
    );
  }
  for (const owner of owners) {
    const denial = await denialOf(authorizer, attributes, {
      verb: 'update',
      apiGroup: owner.group,
      apiVersion: owner.version,
      namespace: owner.namespaced ? attributes.namespace : '',
      resource: owner.plural,
      subresource: 'finalizers',
      name: ref.name,
    });
    if (denial !== undefined)
      throw newForbidden(
        attributes,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${denial}`,
      );
  }
}

/** Why the user is not allowed to do this; undefined if it is allowed. */
async function denialOf(
  authorizer: Authorizer,
  { user }: AdmissionAttributes,
  access: Omit<AuthorizationAttributes, 'user' | 'isResourceRequest' | 'path'>,
): Promise<string | undefined> {
  const { decision, reason, error } = await authorizer.authorize({
    user,
    isResourceRequest: true,
    path: '',
    ...access,
  });
  return decision === 'allow' ? undefined : `${reason}, ${error ?? '<nil>'}`;
}

const ownersOf = (object: KubeObject | undefined): readonly OwnerReference[] => object?.metadata?.ownerReferences ?? [];

const changesOwners = ({ object, oldObject }: AdmissionAttributes): boolean =>
  !deepEqual(ownersOf(object), ownersOf(oldObject));

function newlyBlocking({ object, oldObject }: AdmissionAttributes): OwnerReference[] {
  const before = new Set(
    ownersOf(oldObject)
      .filter((ref) => ref.blockOwnerDeletion)
      .map(({ uid }) => uid),
  );
  return ownersOf(object).filter((ref) => ref.blockOwnerDeletion && !before.has(ref.uid));
}

function resourcesOf(registry: Registry, { apiVersion, kind }: OwnerReference): ServedResource[] {
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/', 2) as [string, string]) : ['', apiVersion];
  return registry
    .all()
    .filter((served) => served.group === group && served.version === version && served.kind === kind);
}
