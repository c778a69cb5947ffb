/** PodGroupProtection keeps PodGroups that pods use; PodGroupWorkloadExists wants the template that a new one names. */
import type { PodGroup, Workload } from '../../api/generated/scheduling-v1alpha2.ts';
import { quote } from '../../base/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { newForbidden } from './new-forbidden.ts';
import { isForResource } from './request-objects.ts';

const GROUP = 'scheduling.k8s.io';
const FINALIZER = `${GROUP}/podgroup-protection`;

const isForPodGroups = (attributes: AdmissionAttributes): boolean =>
  isForResource(attributes, GROUP, 'podgroups') && attributes.subresource === '';

/** The podgroup-protection controller removes the finalizer. */
export const podGroupProtection: AdmissionPlugin = {
  name: 'PodGroupProtection',
  operations: ['CREATE'],
  matches: isForPodGroups,
  admit({ object, record }) {
    const { metadata } = object!;
    if (metadata.finalizers?.includes(FINALIZER)) return;
    metadata.finalizers = [...(metadata.finalizers ?? []), FINALIZER];
    record?.changed('metadata.finalizers');
  },
};

export const podGroupWorkloadExistsPlugin = (registry: Registry): AdmissionPlugin => ({
  name: 'PodGroupWorkloadExists',
  operations: ['CREATE'],
  matches: isForPodGroups,
  validate(attributes) {
    const ref = (attributes.object as PodGroup & KubeObject).spec?.podGroupTemplateRef?.workload;
    if (!ref) return;
    const { workloadName, podGroupTemplateName } = ref;
    const workload = registry.lookup(GROUP, 'v1alpha2', 'workloads', attributes.namespace, workloadName) as
      | (Workload & KubeObject)
      | undefined;
    const refuse = (why: string): Error => newForbidden(attributes, `PodGroup rejected: ${why}`);
    if (!workload) throw refuse(`Workload ${quote(workloadName)} not found`);
    if (workload.metadata.deletionTimestamp) throw refuse(`Workload ${quote(workloadName)} is being deleted`);
    if (workload.spec.podGroupTemplates.some(({ name }) => name === podGroupTemplateName)) return;
    throw refuse(`PodGroupTemplate ${quote(podGroupTemplateName)} not found in Workload ${quote(workloadName)}`);
  },
});
