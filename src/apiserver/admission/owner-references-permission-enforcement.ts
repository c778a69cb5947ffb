/** OwnerReferencesPermissionEnforcement: who gives an object another owner may delete it; who blocks the owner's deletion may hold the owner. */
import type { OwnerReference } from '../../api/generated/meta-v1.ts';
import { deepEqual } from '../../base/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AuthorizationAttributes, Authorizer } from '../authz/authorizer.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { isFor } from './kinds.ts';
import { refuse } from './refuse.ts';

export function ownerReferencesPermissionEnforcementPlugin(
  registry: Registry,
  authorizer: Authorizer,
): AdmissionPlugin {
  const reasonAgainst = async (
    attributes: AdmissionAttributes,
    asked: Omit<AuthorizationAttributes, 'user' | 'isResourceRequest' | 'path'>,
  ): Promise<string | undefined> => {
    const { decision, reason, error } = await authorizer.authorize({
      user: attributes.user,
      isResourceRequest: true,
      path: '',
      ...asked,
    });
    return decision === 'allow' ? undefined : `${reason}, ${error ?? '<nil>'}`;
  };

  return {
    name: 'OwnerReferencesPermissionEnforcement',
    operations: ['CREATE', 'UPDATE'],
    // Old kubelets garble the owners when they report a status, which the pod's own rules ignore.
    matches: (attributes) =>
      !(isFor(attributes, '', 'pods') && attributes.subresource === 'status') && changesOwners(attributes),
    async validate(attributes) {
      const { served, operation, namespace, subresource, name } = attributes;
      if (operation !== 'CREATE') {
        const against = await reasonAgainst(attributes, {
          verb: 'delete',
          apiGroup: served.group,
          apiVersion: served.version,
          namespace,
          resource: served.plural,
          subresource,
          name,
        });
        if (against !== undefined)
          throw refuse(attributes, `cannot set an ownerRef on a resource you can't delete: ${against}`);
      }
      for (const ref of newlyBlocking(attributes)) {
        const owners = resourcesOf(registry, ref);
        if (owners.length === 0) {
          throw refuse(
            attributes,
            `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${ref.apiVersion} Kind ${ref.kind}: no matches for kind "${ref.kind}" in version "${ref.apiVersion}"`,
          );
        }
        for (const owner of owners) {
          const against = await reasonAgainst(attributes, {
            verb: 'update',
            apiGroup: owner.group,
            apiVersion: owner.version,
            namespace: owner.namespaced ? namespace : '',
            resource: owner.plural,
            subresource: 'finalizers',
            name: ref.name,
          });
          if (against !== undefined)
            throw refuse(
              attributes,
              `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${against}`,
            );
        }
      }
    },
  };
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
