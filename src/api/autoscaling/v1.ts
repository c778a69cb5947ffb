/** The autoscaling group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const autoscalingV1: PackageDeclaration = {
  alias: 'autoscaling',
  group: 'autoscaling',
  version: 'v1',
  prefix: 'io.k8s.api.autoscaling.v1',
  strings: {
    HorizontalPodAutoscalerConditionType: ['ScalingActive', 'AbleToScale', 'ScalingLimited', 'ScaledToZero'],
    MetricSourceType: ['Object', 'Pods', 'Resource', 'ContainerResource', 'External'],
  },
  messages: {
    ContainerResourceMetricSource: message('', {
      name: field(1, 'core.ResourceName', '', { keep: true }),
      targetAverageUtilization: field(2, '*int32', ''),
      targetAverageValue: field(3, '*Quantity', ''),
      container: field(5, 'string', '', { keep: true }),
    }),
    ContainerResourceMetricStatus: message('', {
      name: field(1, 'core.ResourceName', '', { keep: true }),
      currentAverageUtilization: field(2, '*int32', ''),
      currentAverageValue: field(3, 'Quantity', '', { keep: true }),
      container: field(4, 'string', '', { keep: true }),
    }),
    CrossVersionObjectReference: message('', {
      kind: field(1, 'string', '', { required: true, keep: true }),
      name: field(2, 'string', '', { required: true, keep: true }),
      apiVersion: field(3, 'string', ''),
    }, { atomic: true }),
    ExternalMetricSource: message('', {
      metricName: field(1, 'string', '', { keep: true }),
      metricSelector: field(2, '*meta.LabelSelector', ''),
      targetValue: field(3, '*Quantity', ''),
      targetAverageValue: field(4, '*Quantity', ''),
    }),
    ExternalMetricStatus: message('', {
      metricName: field(1, 'string', '', { keep: true }),
      metricSelector: field(2, '*meta.LabelSelector', ''),
      currentValue: field(3, 'Quantity', '', { keep: true }),
      currentAverageValue: field(4, '*Quantity', ''),
    }),
    HorizontalPodAutoscaler: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'HorizontalPodAutoscalerSpec', 'The desired state, as the user asks for it.', { required: true }),
      status: field(3, 'HorizontalPodAutoscalerStatus', 'The observed state, as the system last reported it.'),
    }),
    HorizontalPodAutoscalerCondition: message('', {
      type: field(1, 'HorizontalPodAutoscalerConditionType', '', { keep: true }),
      status: field(2, 'core.ConditionStatus', 'Whether the condition holds: True, False or Unknown.', { keep: true }),
      lastTransitionTime: field(3, 'Time', 'When the status last changed.'),
      reason: field(4, 'string', 'One CamelCase word on why the condition has its status.'),
      message: field(5, 'string', 'Details of the last change, for people to read.'),
    }),
    HorizontalPodAutoscalerList: listOf('HorizontalPodAutoscaler'),
    HorizontalPodAutoscalerSpec: message('', {
      scaleTargetRef: field(1, 'CrossVersionObjectReference', '', { required: true, keep: true }),
      minReplicas: field(2, '*int32', ''),
      maxReplicas: field(3, 'int32', '', { required: true, keep: true }),
      targetCPUUtilizationPercentage: field(4, '*int32', ''),
    }),
    HorizontalPodAutoscalerStatus: message('', {
      observedGeneration: field(1, '*int64', 'The metadata.generation that this status describes.'),
      lastScaleTime: field(2, '*Time', ''),
      currentReplicas: field(3, 'int32', '', { required: true, keep: true }),
      desiredReplicas: field(4, 'int32', '', { required: true, keep: true }),
      currentCPUUtilizationPercentage: field(5, '*int32', ''),
    }),
    MetricSpec: message('', {
      type: field(1, 'MetricSourceType', '', { keep: true }),
      object: field(2, '*ObjectMetricSource', ''),
      pods: field(3, '*PodsMetricSource', ''),
      resource: field(4, '*ResourceMetricSource', ''),
      containerResource: field(7, '*ContainerResourceMetricSource', ''),
      external: field(5, '*ExternalMetricSource', ''),
    }),
    MetricStatus: message('', {
      type: field(1, 'MetricSourceType', '', { keep: true }),
      object: field(2, '*ObjectMetricStatus', ''),
      pods: field(3, '*PodsMetricStatus', ''),
      resource: field(4, '*ResourceMetricStatus', ''),
      containerResource: field(7, '*ContainerResourceMetricStatus', ''),
      external: field(5, '*ExternalMetricStatus', ''),
    }),
    ObjectMetricSource: message('', {
      target: field(1, 'CrossVersionObjectReference', '', { keep: true }),
      metricName: field(2, 'string', '', { keep: true }),
      targetValue: field(3, 'Quantity', '', { keep: true }),
      selector: field(4, '*meta.LabelSelector', ''),
      averageValue: field(5, '*Quantity', ''),
    }),
    ObjectMetricStatus: message('', {
      target: field(1, 'CrossVersionObjectReference', '', { keep: true }),
      metricName: field(2, 'string', '', { keep: true }),
      currentValue: field(3, 'Quantity', '', { keep: true }),
      selector: field(4, '*meta.LabelSelector', ''),
      averageValue: field(5, '*Quantity', ''),
    }),
    PodsMetricSource: message('', {
      metricName: field(1, 'string', '', { keep: true }),
      targetAverageValue: field(2, 'Quantity', '', { keep: true }),
      selector: field(3, '*meta.LabelSelector', ''),
    }),
    PodsMetricStatus: message('', {
      metricName: field(1, 'string', '', { keep: true }),
      currentAverageValue: field(2, 'Quantity', '', { keep: true }),
      selector: field(3, '*meta.LabelSelector', ''),
    }),
    ResourceMetricSource: message('', {
      name: field(1, 'core.ResourceName', '', { keep: true }),
      targetAverageUtilization: field(2, '*int32', ''),
      targetAverageValue: field(3, '*Quantity', ''),
    }),
    ResourceMetricStatus: message('', {
      name: field(1, 'core.ResourceName', '', { keep: true }),
      currentAverageUtilization: field(2, '*int32', ''),
      currentAverageValue: field(3, 'Quantity', '', { keep: true }),
    }),
    Scale: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'ScaleSpec', 'The desired state, as the user asks for it.'),
      status: field(3, 'ScaleStatus', 'The observed state, as the system last reported it.'),
    }),
    ScaleSpec: message('', {
      replicas: field(1, 'int32', ''),
    }),
    ScaleStatus: message('', {
      replicas: field(1, 'int32', '', { required: true, keep: true }),
      selector: field(2, 'string', ''),
    }),
  },
  kinds: [
    {
      kind: 'HorizontalPodAutoscaler',
      plural: 'horizontalpodautoscalers',
      singular: 'horizontalpodautoscaler',
      namespaced: true,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['hpa'],
      categories: ['all'],
      subresources: {
        status: { verbs: ['get', 'patch', 'update'] },
      },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Reference', 'string'),
        column('Targets', 'string'),
        column('MinPods', 'string'),
        column('MaxPods', 'string'),
        column('Replicas', 'string'),
        column('Age', 'string'),
      ],
    },
  ],
};
