/** The autoscaling group, v2. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const autoscalingV2: PackageDeclaration = {
  alias: 'autoscalingv2',
  group: 'autoscaling',
  version: 'v2',
  prefix: 'io.k8s.api.autoscaling.v2',
  strings: {
    HPAScalingPolicyType: ['Pods', 'Percent'],
    HorizontalPodAutoscalerConditionType: ['ScalingActive', 'AbleToScale', 'ScalingLimited', 'ScaledToZero'],
    MetricSourceType: ['Object', 'Pods', 'Resource', 'ContainerResource', 'External'],
    MetricTargetType: ['Utilization', 'Value', 'AverageValue'],
    ScalingPolicySelect: ['Max', 'Min', 'Disabled'],
  },
  messages: {
    ContainerResourceMetricSource: message('', {
      name: field(1, 'core.ResourceName', '', { required: true, keep: true }),
      target: field(2, 'MetricTarget', '', { required: true, keep: true }),
      container: field(3, 'string', '', { required: true, keep: true }),
    }),
    ContainerResourceMetricStatus: message('', {
      name: field(1, 'core.ResourceName', '', { required: true, keep: true }),
      current: field(2, 'MetricValueStatus', '', { required: true, keep: true }),
      container: field(3, 'string', '', { required: true, keep: true }),
    }),
    CrossVersionObjectReference: message('', {
      kind: field(1, 'string', '', { required: true, keep: true }),
      name: field(2, 'string', '', { required: true, keep: true }),
      apiVersion: field(3, 'string', ''),
    }),
    ExternalMetricSource: message('', {
      metric: field(1, 'MetricIdentifier', '', { required: true, keep: true }),
      target: field(2, 'MetricTarget', '', { required: true, keep: true }),
    }),
    ExternalMetricStatus: message('', {
      metric: field(1, 'MetricIdentifier', '', { required: true, keep: true }),
      current: field(2, 'MetricValueStatus', '', { required: true, keep: true }),
    }),
    HPAScalingPolicy: message('', {
      type: field(1, 'HPAScalingPolicyType', '', { required: true, keep: true }),
      value: field(2, 'int32', '', { required: true, keep: true }),
      periodSeconds: field(3, 'int32', '', { required: true, keep: true }),
    }),
    HPAScalingRules: message('', {
      stabilizationWindowSeconds: field(3, '*int32', ''),
      selectPolicy: field(1, '*ScalingPolicySelect', ''),
      policies: field(2, '[]HPAScalingPolicy', '', { list: 'atomic' }),
      tolerance: field(4, '*Quantity', '', { gate: 'HPAConfigurableTolerance' }),
    }),
    HorizontalPodAutoscaler: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'HorizontalPodAutoscalerSpec', 'The desired state, as the user asks for it.', { required: true }),
      status: field(3, 'HorizontalPodAutoscalerStatus', 'The observed state, as the system last reported it.'),
    }),
    HorizontalPodAutoscalerBehavior: message('', {
      scaleUp: field(1, '*HPAScalingRules', ''),
      scaleDown: field(2, '*HPAScalingRules', ''),
    }),
    HorizontalPodAutoscalerCondition: message('', {
      type: field(1, 'HorizontalPodAutoscalerConditionType', '', { required: true, keep: true }),
      status: field(2, 'core.ConditionStatus', 'Whether the condition holds: True, False or Unknown.', { required: true, keep: true }),
      lastTransitionTime: field(3, 'Time', 'When the status last changed.'),
      reason: field(4, 'string', 'One CamelCase word on why the condition has its status.'),
      message: field(5, 'string', 'Details of the last change, for people to read.'),
    }),
    HorizontalPodAutoscalerList: listOf('HorizontalPodAutoscaler'),
    HorizontalPodAutoscalerSpec: message('', {
      scaleTargetRef: field(1, 'CrossVersionObjectReference', '', { required: true, keep: true }),
      minReplicas: field(2, '*int32', ''),
      maxReplicas: field(3, 'int32', '', { required: true, keep: true }),
      metrics: field(4, '[]MetricSpec', '', { list: 'atomic' }),
      behavior: field(5, '*HorizontalPodAutoscalerBehavior', ''),
    }),
    HorizontalPodAutoscalerStatus: message('', {
      observedGeneration: field(1, '*int64', 'The metadata.generation that this status describes.'),
      lastScaleTime: field(2, '*Time', ''),
      currentReplicas: field(3, 'int32', ''),
      desiredReplicas: field(4, 'int32', '', { required: true, keep: true }),
      currentMetrics: field(5, '[]MetricStatus', '', { keep: true, list: 'atomic' }),
      conditions: field(6, '[]HorizontalPodAutoscalerCondition', '', { list: { map: ['type'] }, patch: 'merge', mergeKey: 'type' }),
    }),
    MetricIdentifier: message('', {
      name: field(1, 'string', '', { required: true, keep: true }),
      selector: field(2, '*meta.LabelSelector', ''),
    }),
    MetricSpec: message('', {
      type: field(1, 'MetricSourceType', '', { required: true, keep: true }),
      object: field(2, '*ObjectMetricSource', ''),
      pods: field(3, '*PodsMetricSource', ''),
      resource: field(4, '*ResourceMetricSource', ''),
      containerResource: field(7, '*ContainerResourceMetricSource', ''),
      external: field(5, '*ExternalMetricSource', ''),
    }),
    MetricStatus: message('', {
      type: field(1, 'MetricSourceType', '', { required: true, keep: true }),
      object: field(2, '*ObjectMetricStatus', ''),
      pods: field(3, '*PodsMetricStatus', ''),
      resource: field(4, '*ResourceMetricStatus', ''),
      containerResource: field(7, '*ContainerResourceMetricStatus', ''),
      external: field(5, '*ExternalMetricStatus', ''),
    }),
    MetricTarget: message('', {
      type: field(1, 'MetricTargetType', '', { required: true, keep: true }),
      value: field(2, '*Quantity', ''),
      averageValue: field(3, '*Quantity', ''),
      averageUtilization: field(4, '*int32', ''),
    }),
    MetricValueStatus: message('', {
      value: field(1, '*Quantity', ''),
      averageValue: field(2, '*Quantity', ''),
      averageUtilization: field(3, '*int32', ''),
    }),
    ObjectMetricSource: message('', {
      describedObject: field(1, 'CrossVersionObjectReference', '', { required: true, keep: true }),
      target: field(2, 'MetricTarget', '', { required: true, keep: true }),
      metric: field(3, 'MetricIdentifier', '', { required: true, keep: true }),
    }),
    ObjectMetricStatus: message('', {
      metric: field(1, 'MetricIdentifier', '', { required: true, keep: true }),
      current: field(2, 'MetricValueStatus', '', { required: true, keep: true }),
      describedObject: field(3, 'CrossVersionObjectReference', '', { required: true, keep: true }),
    }),
    PodsMetricSource: message('', {
      metric: field(1, 'MetricIdentifier', '', { required: true, keep: true }),
      target: field(2, 'MetricTarget', '', { required: true, keep: true }),
    }),
    PodsMetricStatus: message('', {
      metric: field(1, 'MetricIdentifier', '', { required: true, keep: true }),
      current: field(2, 'MetricValueStatus', '', { required: true, keep: true }),
    }),
    ResourceMetricSource: message('', {
      name: field(1, 'core.ResourceName', '', { required: true, keep: true }),
      target: field(2, 'MetricTarget', '', { required: true, keep: true }),
    }),
    ResourceMetricStatus: message('', {
      name: field(1, 'core.ResourceName', '', { required: true, keep: true }),
      current: field(2, 'MetricValueStatus', '', { required: true, keep: true }),
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
