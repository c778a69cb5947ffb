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
    ContainerResourceMetricSource: message('A resource of one container in each Pod, and its target.', {
      name: field(1, 'core.ResourceName', 'The resource, such as cpu.', { required: true, keep: true }),
      target: field(2, 'MetricTarget', 'The wanted value.', { required: true, keep: true }),
      container: field(3, 'string', 'Name of the container.', { required: true, keep: true }),
    }),
    ContainerResourceMetricStatus: message('Present use of a resource by one container in each Pod.', {
      name: field(1, 'core.ResourceName', 'The resource, such as cpu.', { required: true, keep: true }),
      current: field(2, 'MetricValueStatus', 'The present value.', { required: true, keep: true }),
      container: field(3, 'string', 'Name of the container.', { required: true, keep: true }),
    }),
    CrossVersionObjectReference: message('An object of the namespace, by kind and name.', {
      kind: field(1, 'string', 'Kind of the object.', { required: true, keep: true }),
      name: field(2, 'string', 'Name of the object.', { required: true, keep: true }),
      apiVersion: field(3, 'string', 'API version of the object.'),
    }),
    ExternalMetricSource: message('A metric from outside the cluster, and its target.', {
      metric: field(1, 'MetricIdentifier', 'Name and labels of the metric.', { required: true, keep: true }),
      target: field(2, 'MetricTarget', 'The wanted value.', { required: true, keep: true }),
    }),
    ExternalMetricStatus: message('Present value of a metric from outside the cluster.', {
      metric: field(1, 'MetricIdentifier', 'Name and labels of the metric.', { required: true, keep: true }),
      current: field(2, 'MetricValueStatus', 'The present value.', { required: true, keep: true }),
    }),
    HPAScalingPolicy: message('Most change in a period.', {
      type: field(1, 'HPAScalingPolicyType', 'What value counts: Pods or Percent.', { required: true, keep: true }),
      value: field(2, 'int32', 'Most change, above zero.', { required: true, keep: true }),
      periodSeconds: field(3, 'int32', 'Length of the period, 1 to 1800 seconds.', { required: true, keep: true }),
    }),
    HPAScalingRules: message('How fast to scale in one direction.', {
      stabilizationWindowSeconds: field(
        3,
        '*int32',
        'Seconds of past recommendations to weigh; 0 to 3600, default 0 up, 300 down.',
      ),
      selectPolicy: field(1, '*ScalingPolicySelect', 'Which policy wins: Max (default), Min or Disabled.'),
      policies: field(2, '[]HPAScalingPolicy', 'The policies; each caps the change.', {
        list: 'atomic',
        distinguishesEmpty: true,
      }),
      tolerance: field(4, '*Quantity', 'Deviation from the target that is ignored; default 10%.', {
        gate: 'HPAConfigurableTolerance',
      }),
    }),
    HorizontalPodAutoscaler: object("Sets a workload's replicas from metrics.", {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'HorizontalPodAutoscalerSpec', 'The desired state, as the user asks for it.', { required: true }),
      status: field(3, 'HorizontalPodAutoscalerStatus', 'The observed state, as the system last reported it.'),
    }),
    HorizontalPodAutoscalerBehavior: message('How fast to scale.', {
      scaleUp: field(1, '*HPAScalingRules', 'Rules for scaling up; default 100% or 4 Pods in 15 seconds.'),
      scaleDown: field(2, '*HPAScalingRules', 'Rules for scaling down; default all at once after 300 seconds.'),
    }),
    HorizontalPodAutoscalerCondition: message("One aspect of the autoscaler's current state.", {
      type: field(1, 'HorizontalPodAutoscalerConditionType', 'AbleToScale, ScalingActive or ScalingLimited.', {
        required: true,
        keep: true,
      }),
      status: field(2, 'core.ConditionStatus', 'Whether the condition holds: True, False or Unknown.', {
        required: true,
        keep: true,
      }),
      lastTransitionTime: field(3, 'Time', 'When the status last changed.'),
      reason: field(4, 'string', 'One CamelCase word on why the condition has its status.'),
      message: field(5, 'string', 'Details of the last change, for people to read.'),
    }),
    HorizontalPodAutoscalerList: listOf('HorizontalPodAutoscaler'),
    HorizontalPodAutoscalerSpec: message('What to scale, by which metrics and within which bounds.', {
      scaleTargetRef: field(1, 'CrossVersionObjectReference', 'The workload, which must have a scale subresource.', {
        required: true,
        keep: true,
      }),
      minReplicas: field(2, '*int32', 'Fewest replicas; default 1.', { default: 1 }),
      maxReplicas: field(3, 'int32', 'Most replicas.', { required: true, keep: true }),
      metrics: field(4, '[]MetricSpec', 'Metrics to scale by, the highest result wins; default 80% of CPU.', {
        list: 'atomic',
      }),
      behavior: field(5, '*HorizontalPodAutoscalerBehavior', 'How fast to scale up and down.'),
    }),
    HorizontalPodAutoscalerStatus: message('State of the autoscaler.', {
      observedGeneration: field(1, '*int64', 'The metadata.generation that this status describes.'),
      lastScaleTime: field(2, '*Time', 'When the number of replicas was last changed.'),
      currentReplicas: field(3, 'int32', 'Present number of replicas.'),
      desiredReplicas: field(4, 'int32', 'Replicas that the autoscaler last asked for.', {
        required: true,
        keep: true,
      }),
      currentMetrics: field(5, '[]MetricStatus', 'Present values of the metrics.', { keep: true, list: 'atomic' }),
      conditions: field(6, '[]HorizontalPodAutoscalerCondition', 'Conditions of the autoscaler.', {
        list: { map: ['type'] },
        patch: 'merge',
        mergeKey: 'type',
      }),
    }),
    MetricIdentifier: message('Name and labels of a metric.', {
      name: field(1, 'string', 'Name of the metric.', { required: true, keep: true }),
      selector: field(2, '*meta.LabelSelector', 'Labels of the metric; default any.'),
    }),
    MetricSpec: message('A metric to scale by; the member named by type is set.', {
      type: field(1, 'MetricSourceType', 'Object, Pods, Resource, ContainerResource or External.', {
        required: true,
        keep: true,
      }),
      object: field(2, '*ObjectMetricSource', 'A metric of one object.'),
      pods: field(3, '*PodsMetricSource', 'A metric of each Pod, averaged.'),
      resource: field(4, '*ResourceMetricSource', 'A resource of each Pod, such as cpu.'),
      containerResource: field(7, '*ContainerResourceMetricSource', 'A resource of one container in each Pod.'),
      external: field(5, '*ExternalMetricSource', 'A metric from outside the cluster.'),
    }),
    MetricStatus: message('Present value of a metric; the member named by type is set.', {
      type: field(1, 'MetricSourceType', 'Object, Pods, Resource, ContainerResource or External.', {
        required: true,
        keep: true,
      }),
      object: field(2, '*ObjectMetricStatus', "Value of an object's metric."),
      pods: field(3, '*PodsMetricStatus', "Average of the Pods' metric."),
      resource: field(4, '*ResourceMetricStatus', 'Use of a resource by the Pods.'),
      containerResource: field(7, '*ContainerResourceMetricStatus', 'Use of a resource by one container in each Pod.'),
      external: field(5, '*ExternalMetricStatus', 'Value of an external metric.'),
    }),
    MetricTarget: message('The wanted value of a metric.', {
      type: field(1, 'MetricTargetType', 'Utilization, Value or AverageValue.', { required: true, keep: true }),
      value: field(2, '*Quantity', 'Wanted value.'),
      averageValue: field(3, '*Quantity', 'Wanted average over the Pods.'),
      averageUtilization: field(4, '*int32', 'Wanted average, as a percentage of the request; resources only.'),
    }),
    MetricValueStatus: message('The present value of a metric.', {
      value: field(1, '*Quantity', 'Present value.'),
      averageValue: field(2, '*Quantity', 'Present average over the Pods.'),
      averageUtilization: field(3, '*int32', 'Present average, as a percentage of the request; resources only.'),
    }),
    ObjectMetricSource: message('A metric of one object, and its target.', {
      describedObject: field(1, 'CrossVersionObjectReference', 'The object that has the metric.', {
        required: true,
        keep: true,
      }),
      target: field(2, 'MetricTarget', 'The wanted value.', { required: true, keep: true }),
      metric: field(3, 'MetricIdentifier', 'Name and labels of the metric.', { required: true, keep: true }),
    }),
    ObjectMetricStatus: message("Present value of an object's metric.", {
      metric: field(1, 'MetricIdentifier', 'Name and labels of the metric.', { required: true, keep: true }),
      current: field(2, 'MetricValueStatus', 'The present value.', { required: true, keep: true }),
      describedObject: field(3, 'CrossVersionObjectReference', 'The object that has the metric.', {
        required: true,
        keep: true,
      }),
    }),
    PodsMetricSource: message('A metric of each Pod, and its target.', {
      metric: field(1, 'MetricIdentifier', 'Name and labels of the metric.', { required: true, keep: true }),
      target: field(2, 'MetricTarget', 'The wanted value.', { required: true, keep: true }),
    }),
    PodsMetricStatus: message("Present value of the Pods' metric.", {
      metric: field(1, 'MetricIdentifier', 'Name and labels of the metric.', { required: true, keep: true }),
      current: field(2, 'MetricValueStatus', 'The present value.', { required: true, keep: true }),
    }),
    ResourceMetricSource: message('A resource of each Pod, and its target.', {
      name: field(1, 'core.ResourceName', 'The resource, such as cpu.', { required: true, keep: true }),
      target: field(2, 'MetricTarget', 'The wanted value.', { required: true, keep: true }),
    }),
    ResourceMetricStatus: message('Present use of a resource by the Pods.', {
      name: field(1, 'core.ResourceName', 'The resource, such as cpu.', { required: true, keep: true }),
      current: field(2, 'MetricValueStatus', 'The present value.', { required: true, keep: true }),
    }),
  },
  kinds: [
    {
      kind: 'HorizontalPodAutoscaler',
      plural: 'horizontalpodautoscalers',
      namespaced: true,
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
