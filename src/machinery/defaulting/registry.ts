/** The defaulting functions by message. */
import * as admissionregistration from './admissionregistration.ts';
import * as apiextensions from './apiextensions.ts';
import * as apps from './apps.ts';
import * as autoscaling from './autoscaling.ts';
import * as batch from './batch.ts';
import * as pod from './core-pod.ts';
import * as core from './core.ts';
import type { DefaultingContext, MessageDefaults } from './message-defaults.ts';
import * as networking from './networking.ts';
import * as rbac from './rbac.ts';
import * as resource from './resource.ts';
import { roundResources } from './round-resources.ts';
import * as storage from './storage.ts';

/** Casts the generic value to the type of the message. */
function typed<T extends object>(
  defaults: (value: T, context: DefaultingContext) => Partial<T> | undefined,
): MessageDefaults {
  return (value, context) => defaults(value as T, context) as Record<string, unknown> | undefined;
}

/** Runs two functions; the second sees the changes of the first. */
function sequence(first: MessageDefaults, second: MessageDefaults): MessageDefaults {
  return (value, context) => {
    const changes = first(value, context);
    const more = second(changes ? { ...value, ...changes } : value, context);
    return changes && more ? { ...changes, ...more } : (changes ?? more);
  };
}

const roundRequirements = roundResources('limits', 'requests');

/** Defaults that depend on more than their own field, by the message that they belong to. */
export const messageDefaults: Readonly<Record<string, MessageDefaults | undefined>> = {
  'io.k8s.api.admissionregistration.v1.MatchResources': typed(admissionregistration.defaultSelectors),
  'io.k8s.api.admissionregistration.v1.MutatingWebhook': typed(admissionregistration.defaultSelectors),
  'io.k8s.api.admissionregistration.v1.ValidatingWebhook': typed(admissionregistration.defaultSelectors),
  'io.k8s.api.admissionregistration.v1alpha1.MatchResources': typed(admissionregistration.defaultSelectors),
  'io.k8s.api.admissionregistration.v1beta1.MatchResources': typed(admissionregistration.defaultSelectors),
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler': typed(autoscaling.defaultAutoscalerV1),
  'io.k8s.api.apps.v1.DaemonSetUpdateStrategy': typed(apps.defaultDaemonSetUpdateStrategy),
  'io.k8s.api.apps.v1.DeploymentStrategy': typed(apps.defaultDeploymentStrategy),
  'io.k8s.api.apps.v1.StatefulSetSpec': typed(apps.defaultStatefulSetSpec),
  'io.k8s.api.apps.v1.StatefulSetUpdateStrategy': typed(apps.defaultStatefulSetUpdateStrategy),
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior': typed(
    autoscaling.defaultHorizontalPodAutoscalerBehavior,
  ),
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec': typed(autoscaling.defaultHorizontalPodAutoscalerSpec),
  'io.k8s.api.batch.v1.Job': typed(batch.defaultJob),
  'io.k8s.api.core.v1.Container': typed(pod.defaultContainer),
  'io.k8s.api.core.v1.ContainerStatus': roundResources('allocatedResources'),
  'io.k8s.api.core.v1.EphemeralContainer': typed(pod.defaultContainer),
  'io.k8s.api.core.v1.LimitRangeItem': sequence(
    typed(core.defaultLimitRangeItem),
    roundResources('max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'),
  ),
  'io.k8s.api.core.v1.Namespace': typed(core.defaultNamespace),
  'io.k8s.api.core.v1.NodeSpec': typed(core.defaultNodeSpec),
  'io.k8s.api.core.v1.NodeStatus': sequence(typed(core.defaultNodeStatus), roundResources('capacity', 'allocatable')),
  'io.k8s.api.core.v1.PersistentVolumeClaimStatus': roundResources('capacity', 'allocatedResources'),
  'io.k8s.api.core.v1.PersistentVolumeSpec': roundResources('capacity'),
  'io.k8s.api.core.v1.Pod': typed(pod.defaultPod),
  'io.k8s.api.core.v1.PodSpec': sequence(typed(pod.defaultPodSpec), roundResources('overhead')),
  'io.k8s.api.core.v1.PodStatus': typed(core.defaultPodStatus),
  'io.k8s.api.core.v1.ReplicationController': typed(core.defaultReplicationController),
  'io.k8s.api.core.v1.ResourceQuotaSpec': roundResources('hard'),
  'io.k8s.api.core.v1.ResourceQuotaStatus': roundResources('hard', 'used'),
  'io.k8s.api.core.v1.ResourceRequirements': roundRequirements,
  'io.k8s.api.core.v1.Secret': typed(core.defaultSecret),
  'io.k8s.api.core.v1.Service': typed(core.defaultService),
  'io.k8s.api.core.v1.ServicePort': typed(core.defaultServicePort),
  'io.k8s.api.core.v1.Volume': typed(pod.defaultVolume),
  'io.k8s.api.core.v1.VolumeResourceRequirements': roundRequirements,
  'io.k8s.api.networking.v1.NetworkPolicySpec': typed(networking.defaultNetworkPolicySpec),
  'io.k8s.api.rbac.v1.Subject': typed(rbac.defaultSubject),
  'io.k8s.api.resource.v1.DeviceSubRequest': typed(resource.defaultDeviceCount),
  'io.k8s.api.resource.v1.DeviceTaint': typed(resource.defaultDeviceTaint),
  'io.k8s.api.resource.v1.ExactDeviceRequest': typed(resource.defaultDeviceCount),
  'io.k8s.api.resource.v1alpha3.DeviceTaint': typed(resource.defaultDeviceTaint),
  'io.k8s.api.resource.v1beta1.Device': typed(resource.defaultDeviceV1beta1),
  'io.k8s.api.resource.v1beta1.DeviceRequest': typed(resource.defaultDeviceRequestV1beta1),
  'io.k8s.api.resource.v1beta1.DeviceSubRequest': typed(resource.defaultDeviceCount),
  'io.k8s.api.resource.v1beta1.DeviceTaint': typed(resource.defaultDeviceTaint),
  'io.k8s.api.resource.v1beta2.DeviceSubRequest': typed(resource.defaultDeviceCount),
  'io.k8s.api.resource.v1beta2.DeviceTaint': typed(resource.defaultDeviceTaint),
  'io.k8s.api.resource.v1beta2.ExactDeviceRequest': typed(resource.defaultDeviceCount),
  'io.k8s.api.storage.v1.CSIDriverSpec': typed(storage.defaultCsiDriverSpec),
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition': typed(
    apiextensions.defaultCustomResourceDefinition,
  ),
};
