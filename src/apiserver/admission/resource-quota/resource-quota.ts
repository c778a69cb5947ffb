/** ResourceQuota admission: rejects requests that exceed a quota of their namespace. */
import type { Pod, PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
import type { Context } from '../../../kernel/index.ts';
import type { Registry } from '../../registry/registry.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import type { LimitedResource } from './check-request.ts';
import { QuotaEvaluator } from './quota-evaluator.ts';

export interface ResourceQuotaConfiguration {
  /** Resources that cannot be consumed without a quota that covers them. */
  readonly limitedResources?: readonly LimitedResource[];
}

/** Resources that no quota counts. */
const IGNORED = new Set([
  '/events',
  'events.k8s.io/events',
  '/bindings',
  'authorization.k8s.io/localsubjectaccessreviews',
]);

export function resourceQuotaPlugin(
  ctx: Context,
  registry: Registry,
  { limitedResources = [] }: ResourceQuotaConfiguration = {},
): AdmissionPlugin {
  const quotas = registry.require('', 'v1', 'resourcequotas');
  const evaluator = new QuotaEvaluator(ctx, registry, limitedResources);
  return {
    name: 'ResourceQuota',
    operations: ['CREATE', 'UPDATE'],
    matches: (attributes) =>
      attributes.namespace !== '' &&
      (limitedResources.length > 0 || quotas.cache.list(attributes.namespace).length > 0) &&
      !IGNORED.has(`${attributes.served.group}/${attributes.served.plural}`) &&
      mayChangeUsage(attributes),
    validate: (attributes) => evaluator.evaluate(attributes),
  };
}

/** Whether the request can change the usage of its object. */
function mayChangeUsage({ served, operation, subresource, object, oldObject }: AdmissionAttributes): boolean {
  switch (`${served.group}/${served.plural}`) {
    case '/namespaces':
      return false;
    case '/pods':
      if (subresource === 'resize') return operation === 'UPDATE';
      if (subresource !== '') return false;
      return (
        operation === 'CREATE' || hasDeadline(object as unknown as Pod) !== hasDeadline(oldObject as unknown as Pod)
      );
    case '/persistentvolumeclaims':
      if (subresource === 'status')
        return changesStorageUsage(
          object as unknown as PersistentVolumeClaim,
          oldObject as unknown as PersistentVolumeClaim,
        );
      return subresource === '';
    case '/services':
    case 'resource.k8s.io/resourceclaims':
      return subresource === '';
    default:
      return operation === 'CREATE' && subresource === '';
  }
}

const hasDeadline = ({ spec }: Pod): boolean =>
  spec?.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds >= 0;

const changesStorageUsage = (claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean =>
  claim.status?.allocatedResources?.['storage'] !== old.status?.allocatedResources?.['storage'] ||
  claim.status?.currentVolumeAttributesClassName !== old.status?.currentVolumeAttributesClassName ||
  claim.status?.modifyVolumeStatus?.targetVolumeAttributesClassName !==
    old.status?.modifyVolumeStatus?.targetVolumeAttributesClassName;
