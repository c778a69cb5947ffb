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
    ContainerResourceMetricSource: message('A resource of one container in each Pod, and its target.', {
      name: field(1, 'core.ResourceName', 'The resource, such as cpu.', { keep: true }),
      targetAverageUtilization: field(2, '*int32', 'Wanted average, as a percentage of the request.'),
      targetAverageValue: field(3, '*Quantity', 'Wanted average, as an amount.'),
      container: field(5, 'string', 'Name of the container.', { keep: true }),
    }),
    ContainerResourceMetricStatus: message('Present use of a resource by one container in each Pod.', {
      name: field(1, 'core.ResourceName', 'The resource, such as cpu.', { keep: true }),
      currentAverageUtilization: field(2, '*int32', 'Present average, as a percentage of the request.'),
      currentAverageValue: field(3, 'Quantity', 'Present average, as an amount.', { keep: true }),
      container: field(4, 'string', 'Name of the container.', { keep: true }),
    }),
    CrossVersionObjectReference: message(
      'An object of the namespace, by kind and name.',
      {
        kind: field(1, 'string', 'Kind of the object.', { required: true, keep: true }),
        name: field(2, 'string', 'Name of the object.', { required: true, keep: true }),
        apiVersion: field(3, 'string', 'API version of the object.'),
      },
      { atomic: true },
    ),
    ExternalMetricSource: message('A metric from outside the cluster, and its target.', {
      metricName: field(1, 'string', 'Name of the metric.', { keep: true }),
      metricSelector: field(2, '*meta.LabelSelector', 'Labels of the metric.'),
      targetValue: field(3, '*Quantity', 'Wanted value.'),
      targetAverageValue: field(4, '*Quantity', 'Wanted value for each Pod.'),
    }),
    ExternalMetricStatus: message('Present value of a metric from outside the cluster.', {
      metricName: field(1, 'string', 'Name of the metric.', { keep: true }),
      metricSelector: field(2, '*meta.LabelSelector', 'Labels of the metric.'),
      currentValue: field(3, 'Quantity', 'Present value.', { keep: true }),
      currentAverageValue: field(4, '*Quantity', 'Present value for each Pod.'),
    }),
    HorizontalPodAutoscaler: object("Sets a workload's replicas from its CPU use.", {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'HorizontalPodAutoscalerSpec', 'The desired state, as the user asks for it.', { required: true }),
      status: field(3, 'HorizontalPodAutoscalerStatus', 'The observed state, as the system last reported it.'),
    }),
    HorizontalPodAutoscalerCondition: message("One aspect of the autoscaler's current state.", {
      type: field(1, 'HorizontalPodAutoscalerConditionType', 'AbleToScale, ScalingActive or ScalingLimited.', {
        keep: true,
      }),
      status: field(2, 'core.ConditionStatus', 'Whether the condition holds: True, False or Unknown.', { keep: true }),
      lastTransitionTime: field(3, 'Time', 'When the status last changed.'),
      reason: field(4, 'string', 'One CamelCase word on why the condition has its status.'),
      message: field(5, 'string', 'Details of the last change, for people to read.'),
    }),
    HorizontalPodAutoscalerList: listOf('HorizontalPodAutoscaler'),
    HorizontalPodAutoscalerSpec: message('What to scale and within which bounds.', {
      scaleTargetRef: field(1, 'CrossVersionObjectReference', 'The workload, which must have a scale subresource.', {
        required: true,
        keep: true,
      }),
      minReplicas: field(2, '*int32', 'Fewest replicas; default 1.', { default: 1 }),
      maxReplicas: field(3, 'int32', 'Most replicas.', { required: true, keep: true }),
      targetCPUUtilizationPercentage: field(4, '*int32', 'Wanted average CPU use, as a percentage of the requests.'),
    }),
    HorizontalPodAutoscalerStatus: message('State of the autoscaler.', {
      observedGeneration: field(1, '*int64', 'The metadata.generation that this status describes.'),
      lastScaleTime: field(2, '*Time', 'When the number of replicas was last changed.'),
      currentReplicas: field(3, 'int32', 'Present number of replicas.', { required: true, keep: true }),
      desiredReplicas: field(4, 'int32', 'Replicas that the autoscaler last asked for.', {
        required: true,
        keep: true,
      }),
      currentCPUUtilizationPercentage: field(5, '*int32', 'Present average CPU use, as a percentage of the requests.'),
    }),
    MetricSpec: message('A metric to scale by; the member named by type is set.', {
      type: field(1, 'MetricSourceType', 'Object, Pods, Resource, ContainerResource or External.', { keep: true }),
      object: field(2, '*ObjectMetricSource', 'A metric of one object.'),
      pods: field(3, '*PodsMetricSource', 'A metric of each Pod, averaged.'),
      resource: field(4, '*ResourceMetricSource', 'A resource of each Pod, such as cpu.'),
      containerResource: field(7, '*ContainerResourceMetricSource', 'A resource of one container in each Pod.'),
      external: field(5, '*ExternalMetricSource', 'A metric from outside the cluster.'),
    }),
    MetricStatus: message('Present value of a metric; the member named by type is set.', {
      type: field(1, 'MetricSourceType', 'Object, Pods, Resource, ContainerResource or External.', { keep: true }),
      object: field(2, '*ObjectMetricStatus', "Value of an object's metric."),
      pods: field(3, '*PodsMetricStatus', "Average of the Pods' metric."),
      resource: field(4, '*ResourceMetricStatus', 'Use of a resource by the Pods.'),
      containerResource: field(7, '*ContainerResourceMetricStatus', 'Use of a resource by one container in each Pod.'),
      external: field(5, '*ExternalMetricStatus', 'Value of an external metric.'),
    }),
    ObjectMetricSource: message('A metric of one object, and its target.', {
      target: field(1, 'CrossVersionObjectReference', 'The object.', { keep: true }),
      metricName: field(2, 'string', 'Name of the metric.', { keep: true }),
      targetValue: field(3, 'Quantity', 'Wanted value.', { keep: true }),
      selector: field(4, '*meta.LabelSelector', 'Labels of the metric.'),
      averageValue: field(5, '*Quantity', 'Wanted value for each Pod.'),
    }),
    ObjectMetricStatus: message("Present value of an object's metric.", {
      target: field(1, 'CrossVersionObjectReference', 'The object.', { keep: true }),
      metricName: field(2, 'string', 'Name of the metric.', { keep: true }),
      currentValue: field(3, 'Quantity', 'Present value.', { keep: true }),
      selector: field(4, '*meta.LabelSelector', 'Labels of the metric.'),
      averageValue: field(5, '*Quantity', 'Present value for each Pod.'),
    }),
    PodsMetricSource: message('A metric of each Pod, and its target.', {
      metricName: field(1, 'string', 'Name of the metric.', { keep: true }),
      targetAverageValue: field(2, 'Quantity', 'Wanted average over the Pods.', { keep: true }),
      selector: field(3, '*meta.LabelSelector', 'Labels of the metric.'),
    }),
    PodsMetricStatus: message("Present value of the Pods' metric.", {
      metricName: field(1, 'string', 'Name of the metric.', { keep: true }),
      currentAverageValue: field(2, 'Quantity', 'Present average over the Pods.', { keep: true }),
      selector: field(3, '*meta.LabelSelector', 'Labels of the metric.'),
    }),
    ResourceMetricSource: message('A resource of each Pod, and its target.', {
      name: field(1, 'core.ResourceName', 'The resource, such as cpu.', { keep: true }),
      targetAverageUtilization: field(2, '*int32', 'Wanted average, as a percentage of the request.'),
      targetAverageValue: field(3, '*Quantity', 'Wanted average, as an amount.'),
    }),
    ResourceMetricStatus: message('Present use of a resource by the Pods.', {
      name: field(1, 'core.ResourceName', 'The resource, such as cpu.', { keep: true }),
      currentAverageUtilization: field(2, '*int32', 'Present average, as a percentage of the request.'),
      currentAverageValue: field(3, 'Quantity', 'Present average, as an amount.', { keep: true }),
    }),
    Scale: object('The number of replicas of a workload.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'ScaleSpec', 'The desired state, as the user asks for it.'),
      status: field(3, 'ScaleStatus', 'The observed state, as the system last reported it.'),
    }),
    ScaleSpec: message('The wanted number of replicas.', {
      replicas: field(1, 'int32', 'Wanted number of replicas.', { statesDefault: true }),
    }),
    ScaleStatus: message('The present number of replicas.', {
      replicas: field(1, 'int32', 'Present number of replicas.', { required: true, keep: true }),
      selector: field(2, 'string', 'Labels of the Pods, as a selector string.'),
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
