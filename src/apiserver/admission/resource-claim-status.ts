/**
 * Who may write the status of a ResourceClaim: its allocation and reservations with the permission on
 * `resourceclaims/binding`, the status of a driver's devices with that on `resourceclaims/driver` under the driver's
 * name. There is no such subresource; upstream checks these permissions with the object's validation.
 */
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  ResourceClaim,
  ResourceClaimStatus,
} from '../../api/generated/resource-v1.ts';
import { deepEqual } from '../../base/index.ts';
import { type FieldError, forbiddenField, invalid, path } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { forbiddenRequest } from '../authz/authorize.ts';
import type { AuthorizationAttributes, Authorizer } from '../authz/authorizer.ts';
import type { UserInfo } from '../request/request.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { isForResource } from './request-objects.ts';

const GROUP = 'resource.k8s.io';
const NODE_NAME = 'authentication.kubernetes.io/node-name';
/** Of a driver on the node that the claim is allocated for, and of any other client. */
const ASSOCIATED = 'associated-node:';
const ARBITRARY = 'arbitrary-node:';

export const resourceClaimStatusCheck = (authorizer: Authorizer): AdmissionPlugin => ({
  name: 'ResourceClaimStatus',
  operations: ['UPDATE'],
  matches: (attributes) => isForResource(attributes, GROUP, 'resourceclaims') && attributes.subresource === 'status',
  async validate(attributes) {
    const [claim, old] = [attributes.object, attributes.oldObject] as (ResourceClaim & KubeObject)[];
    const [status, before] = [claim?.status ?? {}, old?.status ?? {}];
    const errors = [
      ...(await bindingErrors(authorizer, attributes, status, before)),
      ...(status.allocation ? await deviceErrors(authorizer, attributes, status, before) : []),
    ];
    const { group, kind } = attributes.served;
    if (errors.length > 0) throw invalid({ group, kind }, attributes.name, errors);
  },
});

const verbOf = ({ method }: AdmissionAttributes): string => (method === 'PATCH' ? 'patch' : 'update');

type Asked = Pick<AuthorizationAttributes, 'verb' | 'subresource' | 'namespace' | 'name'>;

/** Undefined if it is allowed. */
async function refusalOf(
  authorizer: Authorizer,
  { user, served }: AdmissionAttributes,
  asked: Asked,
): Promise<string | undefined> {
  const attributes: AuthorizationAttributes = {
    ...{
      user,
      isResourceRequest: true,
      apiGroup: GROUP,
      apiVersion: served.version,
      resource: served.plural,
      path: '',
    },
    ...asked,
  };
  const { decision, reason } = await authorizer.authorize(attributes);
  return decision === 'allow' ? undefined : forbiddenRequest(attributes, reason).message;
}

async function bindingErrors(
  authorizer: Authorizer,
  attributes: AdmissionAttributes,
  status: ResourceClaimStatus,
  old: ResourceClaimStatus,
): Promise<FieldError[]> {
  if (deepEqual(status.allocation, old.allocation) && deepEqual(status.reservedFor ?? [], old.reservedFor ?? []))
    return [];
  const verb = verbOf(attributes);
  const refused = await refusalOf(authorizer, attributes, { verb, subresource: 'binding', namespace: '', name: '' });
  if (refused === undefined) return [];
  const needed = `resource="resourceclaims/binding", verb="${verb}" permission`;
  const detail = `changing status.allocation or status.reservedFor requires ${needed}: ${refused}`;
  return [forbiddenField(path('status', 'allocation'), detail)];
}

async function deviceErrors(
  authorizer: Authorizer,
  attributes: AdmissionAttributes,
  status: ResourceClaimStatus,
  old: ResourceClaimStatus,
): Promise<FieldError[]> {
  const verb = verbOf(attributes);
  const verbs = isOnNodeOf(attributes.user, status.allocation)
    ? [`${ASSOCIATED}${verb}`, `${ARBITRARY}${verb}`]
    : [`${ARBITRARY}${verb}`];
  const errors: FieldError[] = [];
  for (const name of changedDrivers(status.devices ?? [], old.devices ?? [])) {
    const { namespace } = attributes;
    let first: string | undefined;
    let allowed = false;
    for (const one of verbs) {
      const refused = await refusalOf(authorizer, attributes, { verb: one, subresource: 'driver', namespace, name });
      allowed = refused === undefined;
      if (allowed) break;
      first ??= refused;
    }
    if (allowed) continue;
    const needed = `resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission`;
    errors.push(forbiddenField(path('status', 'devices'), `changing status.devices requires ${needed}: ${first}`));
  }
  return errors;
}

const keyOf = ({ driver, pool, device, shareID }: AllocatedDeviceStatus): string =>
  JSON.stringify([driver, pool, device, shareID ?? '']);

/** The drivers of devices whose status was added, changed or removed, in order. */
function changedDrivers(devices: readonly AllocatedDeviceStatus[], old: readonly AllocatedDeviceStatus[]): string[] {
  const left = new Map(old.map((device) => [keyOf(device), device]));
  const drivers = new Set<string>();
  for (const device of devices) {
    const before = left.get(keyOf(device));
    left.delete(keyOf(device));
    if (!before || !deepEqual(before, device)) drivers.add(device.driver);
  }
  for (const { driver } of left.values()) drivers.add(driver);
  return [...drivers].sort();
}

/** A ServiceAccount whose token is bound to the node that the claim is allocated for. */
function isOnNodeOf({ name, extra }: UserInfo, allocation: AllocationResult | undefined): boolean {
  const node = nodeOf(allocation);
  const bound = extra?.[NODE_NAME] ?? [];
  return node !== undefined && name.startsWith('system:serviceaccount:') && bound.length === 1 && bound[0] === node;
}

function nodeOf(allocation: AllocationResult | undefined): string | undefined {
  const terms = allocation?.nodeSelector?.nodeSelectorTerms ?? [];
  const [{ matchExpressions = [], matchFields = [] } = {}] = terms;
  const [field] = matchFields;
  if (terms.length !== 1 || matchExpressions.length > 0 || matchFields.length !== 1) return undefined;
  const isByName = field?.key === 'metadata.name' && field.operator === 'In' && field.values?.length === 1;
  return isByName ? field.values![0] : undefined;
}
