/** The resource.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const resourceV1: PackageDeclaration = {
  alias: 'resource',
  group: 'resource.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.resource.v1',
  strings: {
    AllocationConfigSource: ['FromClass', 'FromClaim'],
    DeviceAllocationMode: ['ExactCount', 'All'],
    DeviceTaintEffect: ['None', 'NoSchedule', 'NoExecute'],
    DeviceTolerationOperator: ['Exists', 'Equal'],
    FullyQualifiedName: [],
    QualifiedName: [],
  },
  messages: {
    AllocatedDeviceStatus: message('State of an allocated device, as its driver reports it.', {
      driver: field(1, 'string', 'Driver of the device.', { required: true, keep: true }),
      pool: field(2, 'string', 'Pool of the device.', { required: true, keep: true }),
      device: field(3, 'string', 'Name of the device in its pool.', { required: true, keep: true }),
      shareID: field(7, '*string', 'ID of the share, for a device that is allocated several times.', {
        gate: 'DRAConsumableCapacity',
      }),
      conditions: field(4, '[]meta.Condition', 'Conditions of the device; at most 8.', {
        keep: true,
        list: { map: ['type'] },
      }),
      data: field(5, '*RawExtension', 'Anything else the driver reports.'),
      networkData: field(6, '*NetworkDeviceData', 'Network data of the device.'),
    }),
    AllocationResult: message('What was allocated to a claim.', {
      devices: field(1, 'DeviceAllocationResult', 'The devices.'),
      nodeSelector: field(3, '*core.NodeSelector', 'Nodes on which they can be used; unset for all.'),
      allocationTimestamp: field(5, '*Time', 'When they were allocated, if known.', {
        gate: 'DRADeviceBindingConditions,DRAResourceClaimDeviceStatus',
      }),
    }),
    CELDeviceSelector: message('Selects devices by an expression.', {
      expression: field(1, 'string', 'CEL expression over device: driver, attributes and capacity.', {
        required: true,
        keep: true,
      }),
    }),
    CapacityRequestPolicy: message('How much of a capacity one request can take.', {
      default: field(1, '*Quantity', 'Amount for a request that names none.', { keep: true }),
      validValues: field(3, '[]Quantity', 'Amounts that are allowed, ascending, at most 10; requests are rounded up.', {
        list: 'atomic',
      }),
      validRange: field(4, '*CapacityRequestPolicyRange', 'Range of amounts that is allowed.'),
    }),
    CapacityRequestPolicyRange: message('A range of amounts.', {
      min: field(1, '*Quantity', 'Least amount; requests are rounded up to it.', { required: true }),
      max: field(2, '*Quantity', 'Most that one request can take.'),
      step: field(3, '*Quantity', 'Size of the steps above min.'),
    }),
    CapacityRequirements: message('Amounts of capacity that are wanted.', {
      requests: field(1, 'map[string]Quantity', 'Amount of each capacity.', { keyType: 'QualifiedName' }),
    }),
    Counter: message('An amount that devices share.', {
      value: field(1, 'Quantity', 'How much there is.', { required: true, keep: true }),
    }),
    CounterSet: message('Named amounts that devices share.', {
      name: field(1, 'string', 'Name of the set, unique in its pool.', { required: true, keep: true }),
      counters: field(2, 'map[string]Counter', 'The amounts by name, at most 32.', { required: true }),
    }),
    Device: message('One device of a pool.', {
      name: field(1, 'string', 'Name of the device, unique in its pool.', { required: true, keep: true }),
      attributes: field(2, 'map[string]DeviceAttribute', 'Properties of the device, by name.', {
        keyType: 'QualifiedName',
      }),
      capacity: field(3, 'map[string]DeviceCapacity', 'Amounts that the device has, by name.', {
        keyType: 'QualifiedName',
      }),
      consumesCounters: field(
        4,
        '[]DeviceCounterConsumption',
        'What the device takes from shared counters when allocated.',
        { list: 'atomic', gate: 'DRAPartitionableDevices' },
      ),
      nodeName: field(5, '*string', 'The only node that has the device.', { gate: 'DRAPartitionableDevices' }),
      nodeSelector: field(6, '*core.NodeSelector', 'Nodes that have the device.', { gate: 'DRAPartitionableDevices' }),
      allNodes: field(7, '*bool', 'Whether all nodes have the device.', { gate: 'DRAPartitionableDevices' }),
      taints: field(8, '[]DeviceTaint', 'Taints of the device, at most 16.', {
        list: 'atomic',
        gate: 'DRADeviceTaints',
      }),
      bindsToNode: field(9, '*bool', 'Whether the allocation is tied to the chosen node.', {
        gate: 'DRADeviceBindingConditions,DRAResourceClaimDeviceStatus',
      }),
      bindingConditions: field(10, '[]string', 'Conditions that must be true before the Pod is bound, at most 4.', {
        list: 'atomic',
        gate: 'DRADeviceBindingConditions,DRAResourceClaimDeviceStatus',
      }),
      bindingFailureConditions: field(11, '[]string', 'Conditions that make binding fail, at most 4.', {
        list: 'atomic',
        gate: 'DRADeviceBindingConditions,DRAResourceClaimDeviceStatus',
      }),
      allowMultipleAllocations: field(12, '*bool', 'Whether several requests can share the device.', {
        gate: 'DRAConsumableCapacity',
      }),
      nodeAllocatableResourceMappings: field(
        13,
        'map[string]NodeAllocatableResourceMapping',
        'Node resources, such as cpu, that the device stands for.',
        { gate: 'DRANodeAllocatableResources', keyType: 'v1.ResourceName' },
      ),
    }),
    DeviceAllocationConfiguration: message('Settings for allocated devices.', {
      source: field(1, 'AllocationConfigSource', 'FromClass or FromClaim.', { required: true, keep: true }),
      requests: field(2, '[]string', 'Requests to which the settings apply; empty for all.', { list: 'atomic' }),
      deviceConfiguration: field(3, 'DeviceConfiguration', 'The settings.', { inline: true }),
    }),
    DeviceAllocationResult: message('The devices that were allocated.', {
      results: field(1, '[]DeviceRequestAllocationResult', 'The devices, each with its request.', { list: 'atomic' }),
      config: field(2, '[]DeviceAllocationConfiguration', 'Settings for the devices, from classes and the claim.', {
        list: 'atomic',
      }),
    }),
    DeviceAttribute: message('Value of a property; exactly one member.', {
      int: field(2, '*int64', 'A whole number.'),
      bool: field(3, '*bool', 'True or false.'),
      string: field(4, '*string', 'Text of at most 64 characters.'),
      version: field(5, '*string', 'A semantic version.'),
      ints: field(6, '[]int64', 'Whole numbers.', {
        list: 'atomic',
        gate: 'DRAListTypeAttributes',
        distinguishesEmpty: true,
      }),
      bools: field(7, '[]bool', 'True or false values.', {
        list: 'atomic',
        gate: 'DRAListTypeAttributes',
        distinguishesEmpty: true,
      }),
      strings: field(8, '[]string', 'Texts of at most 64 characters.', {
        list: 'atomic',
        gate: 'DRAListTypeAttributes',
        distinguishesEmpty: true,
      }),
      versions: field(9, '[]string', 'Semantic versions.', {
        list: 'atomic',
        gate: 'DRAListTypeAttributes',
        distinguishesEmpty: true,
      }),
    }),
    DeviceCapacity: message('An amount that a device has.', {
      value: field(1, 'Quantity', 'How much there is.', { required: true, keep: true }),
      requestPolicy: field(2, '*CapacityRequestPolicy', 'How much one request can take, for shared devices.', {
        gate: 'DRAConsumableCapacity',
      }),
    }),
    DeviceClaim: message('Devices that are wanted.', {
      requests: field(1, '[]DeviceRequest', 'The requests; all must be met.', { keep: true, list: 'atomic' }),
      constraints: field(2, '[]DeviceConstraint', 'Rules across requests.', { list: 'atomic' }),
      config: field(3, '[]DeviceClaimConfiguration', 'Settings for the devices.', { list: 'atomic' }),
    }),
    DeviceClaimConfiguration: message('Settings for the devices of some requests.', {
      requests: field(1, '[]string', 'Requests to which the settings apply; empty for all.', { list: 'atomic' }),
      deviceConfiguration: field(2, 'DeviceConfiguration', 'The settings.', { inline: true }),
    }),
    DeviceClass: object('A class of devices that claims can ask for.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'DeviceClassSpec', 'The desired state, as the user asks for it.', { required: true, keep: true }),
    }),
    DeviceClassConfiguration: message('Settings for devices of a class.', {
      deviceConfiguration: field(1, 'DeviceConfiguration', 'The settings.', { inline: true }),
    }),
    DeviceClassList: listOf('DeviceClass'),
    DeviceClassSpec: message('Which devices are in the class and how they are set up.', {
      selectors: field(1, '[]DeviceSelector', 'Tests that a device must all pass.', { list: 'atomic' }),
      config: field(2, '[]DeviceClassConfiguration', 'Settings for the devices.', { list: 'atomic' }),
      extendedResourceName: field(4, '*string', 'Extended resource that Pods can request to get such a device.', {
        gate: 'DRAExtendedResource',
      }),
    }),
    DeviceConfiguration: message('Settings for devices.', {
      opaque: field(1, '*OpaqueDeviceConfiguration', 'Settings that only the driver understands.'),
    }),
    DeviceConstraint: message('A rule across requests; exactly one test.', {
      requests: field(1, '[]string', 'Requests to which the rule applies; empty for all.', { list: 'atomic' }),
      matchAttribute: field(2, '*FullyQualifiedName', 'Attribute that all the devices must have with the same value.'),
      distinctAttribute: field(3, '*FullyQualifiedName', 'Attribute in which all the devices must differ.', {
        gate: 'DRAConsumableCapacity',
      }),
    }),
    DeviceCounterConsumption: message('What a device takes from one counter set.', {
      counterSet: field(1, 'string', 'Name of the counter set.', { required: true, keep: true }),
      counters: field(2, 'map[string]Counter', 'Amount of each counter.', { required: true }),
    }),
    DeviceRequest: message('One request of a claim; exactly or firstAvailable.', {
      name: field(1, 'string', 'Name of the request, a DNS label.', { required: true, keep: true }),
      exactly: field(2, '*ExactDeviceRequest', 'Devices of one class.'),
      firstAvailable: field(3, '[]DeviceSubRequest', 'Alternatives, the first that can be met wins; at most 8.', {
        list: 'atomic',
        gate: 'DRAPrioritizedList',
      }),
    }),
    DeviceRequestAllocationResult: message('A device allocated to a request.', {
      request: field(1, 'string', 'The request, or request/subrequest.', { required: true, keep: true }),
      driver: field(2, 'string', 'Driver of the device.', { required: true, keep: true }),
      pool: field(3, 'string', 'Pool of the device.', { required: true, keep: true }),
      device: field(4, 'string', 'Name of the device in its pool.', { required: true, keep: true }),
      adminAccess: field(5, '*bool', 'Whether the device is used for administration, beside its users.', {
        gate: 'DRAAdminAccess',
      }),
      tolerations: field(6, '[]DeviceToleration', 'Taints that the request accepted.', {
        list: 'atomic',
        gate: 'DRADeviceTaints',
      }),
      bindingConditions: field(7, '[]string', 'Conditions of the device that binding waits for.', {
        list: 'atomic',
        gate: 'DRADeviceBindingConditions,DRAResourceClaimDeviceStatus',
      }),
      bindingFailureConditions: field(8, '[]string', 'Conditions of the device that make binding fail.', {
        list: 'atomic',
        gate: 'DRADeviceBindingConditions,DRAResourceClaimDeviceStatus',
      }),
      shareID: field(9, '*string', 'ID of this share of a device that is allocated several times.', {
        gate: 'DRAConsumableCapacity',
      }),
      consumedCapacity: field(10, 'map[string]Quantity', 'Amount taken of each capacity of a shared device.', {
        keyType: 'QualifiedName',
        gate: 'DRAConsumableCapacity',
      }),
    }),
    DeviceSelector: message('A test on devices.', {
      cel: field(1, '*CELDeviceSelector', 'An expression on the device.'),
    }),
    DeviceSubRequest: message('One alternative of a request.', {
      name: field(1, 'string', 'Name of the alternative; used as request/name.', { required: true, keep: true }),
      deviceClassName: field(2, 'string', 'The DeviceClass.', { required: true, keep: true }),
      selectors: field(3, '[]DeviceSelector', 'Further tests that a device must all pass.', { list: 'atomic' }),
      allocationMode: field(4, 'DeviceAllocationMode', 'ExactCount (default) or All.', { default: 'ExactCount' }),
      count: field(5, 'int64', 'How many devices, for ExactCount; default 1.'),
      tolerations: field(6, '[]DeviceToleration', 'Taints that are accepted.', {
        list: 'atomic',
        gate: 'DRADeviceTaints',
      }),
      capacity: field(7, '*CapacityRequirements', 'Amounts of capacity that are wanted.', {
        gate: 'DRAConsumableCapacity',
      }),
    }),
    DeviceTaint: message('Keeps away claims that do not tolerate it.', {
      key: field(1, 'string', 'Taint key.', { required: true, keep: true }),
      value: field(2, 'string', 'Taint value.'),
      effect: field(3, 'DeviceTaintEffect', 'None, NoSchedule or NoExecute (evicts Pods that use the device).', {
        required: true,
        keep: true,
      }),
      timeAdded: field(4, '*Time', 'When the taint was added; set by the server.'),
    }),
    DeviceToleration: message('Accepts device taints that match it.', {
      key: field(1, 'string', 'Taint key; empty with Exists matches all taints.'),
      operator: field(2, 'DeviceTolerationOperator', 'Exists or Equal (default).', {
        default: 'Equal',
        statesDefault: true,
      }),
      value: field(3, 'string', 'Taint value to compare with; empty for Exists.'),
      effect: field(4, 'DeviceTaintEffect', 'NoSchedule or NoExecute; empty matches all.'),
      tolerationSeconds: field(5, '*int64', 'Seconds for which NoExecute is accepted; default for ever.'),
    }),
    ExactDeviceRequest: message('Devices of one class.', {
      deviceClassName: field(1, 'string', 'The DeviceClass.', { required: true, keep: true }),
      selectors: field(2, '[]DeviceSelector', 'Further tests that a device must all pass.', { list: 'atomic' }),
      allocationMode: field(3, 'DeviceAllocationMode', 'ExactCount (default) or All.', { default: 'ExactCount' }),
      count: field(4, 'int64', 'How many devices, for ExactCount; default 1.'),
      adminAccess: field(5, '*bool', 'Use devices for administration, even if others have them; default false.', {
        gate: 'DRAAdminAccess',
      }),
      tolerations: field(6, '[]DeviceToleration', 'Taints that are accepted.', {
        list: 'atomic',
        gate: 'DRADeviceTaints',
      }),
      capacity: field(7, '*CapacityRequirements', 'Amounts of capacity that are wanted.', {
        gate: 'DRAConsumableCapacity',
      }),
    }),
    NetworkDeviceData: message('Network data of a device.', {
      interfaceName: field(1, 'string', 'Name of the network interface.'),
      ips: field(2, '[]string', 'Addresses with prefix length, such as 192.0.2.5/24.', { list: 'atomic' }),
      hardwareAddress: field(3, 'string', 'Hardware address of the interface.'),
    }),
    NodeAllocatableResourceMapping: message('How much of a node resource a device stands for.', {
      capacityKey: field(
        1,
        '*QualifiedName',
        'Capacity of the device whose consumed amount counts; default the devices themselves.',
      ),
      allocationMultiplier: field(2, '*Quantity', 'Factor for that amount or number; default 1.'),
    }),
    OpaqueDeviceConfiguration: message('Settings that only a driver understands.', {
      driver: field(1, 'string', 'The driver.', { required: true, keep: true }),
      parameters: field(2, 'RawExtension', 'The settings, at most 10 KiB.', { required: true, keep: true }),
    }),
    ResourceClaim: object('Asks for devices that Pods can use.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'ResourceClaimSpec', 'The desired state, as the user asks for it.', {
        required: true,
        keep: true,
      }),
      status: field(3, 'ResourceClaimStatus', 'The observed state, as the system last reported it.'),
    }),
    ResourceClaimConsumerReference: message('A user of a claim.', {
      apiGroup: field(1, 'string', 'API group of the user; empty for core.'),
      resource: field(3, 'string', 'Resource of the user, such as pods.', { required: true, keep: true }),
      name: field(4, 'string', 'Name of the user.', { required: true, keep: true }),
      uid: field(5, 'string', 'UID of the user.', { required: true, keep: true }),
    }),
    ResourceClaimList: listOf('ResourceClaim'),
    ResourceClaimSpec: message('What is wanted; fixed after creation.', {
      devices: field(1, 'DeviceClaim', 'The devices.', { keep: true }),
    }),
    ResourceClaimStatus: message('What was allocated and who uses it.', {
      allocation: field(1, '*AllocationResult', 'What was allocated; unset if nothing is.'),
      reservedFor: field(2, '[]ResourceClaimConsumerReference', 'Who may use the claim now; at most 256.', {
        list: { map: ['uid'] },
        patch: 'merge',
        mergeKey: 'uid',
      }),
      devices: field(4, '[]AllocatedDeviceStatus', 'State of the devices, as their drivers report it.', {
        list: { map: ['driver', 'device', 'pool', 'shareID'] },
        gate: 'DRAResourceClaimDeviceStatus',
      }),
    }),
    ResourceClaimTemplate: object('Template of claims, one for each Pod that names it.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'ResourceClaimTemplateSpec', 'What claims made from the template look like.', {
        required: true,
        keep: true,
      }),
    }),
    ResourceClaimTemplateList: listOf('ResourceClaimTemplate'),
    ResourceClaimTemplateSpec: message('What claims made from a template look like.', {
      metadata: field(1, 'meta.ObjectMeta', 'Labels and annotations of the claims.', { distinguishesEmpty: true }),
      spec: field(2, 'ResourceClaimSpec', 'Spec of the claims.', { required: true, keep: true }),
    }),
    ResourcePool: message('The pool that a slice belongs to.', {
      name: field(1, 'string', 'Name of the pool, often that of the node.', { required: true, keep: true }),
      generation: field(2, 'int64', "Number of the pool's state; older slices do not count.", {
        required: true,
        keep: true,
      }),
      resourceSliceCount: field(3, 'int64', 'How many slices the pool has at this generation.', {
        required: true,
        keep: true,
      }),
    }),
    ResourceSlice: object('A part of a pool of devices, published by a driver.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'ResourceSliceSpec', 'The desired state, as the user asks for it.', {
        required: true,
        keep: true,
      }),
    }),
    ResourceSliceList: listOf('ResourceSlice'),
    ResourceSliceSpec: message('Driver, pool and devices of a slice.', {
      driver: field(1, 'string', 'Name of the driver; fixed.', { required: true, keep: true }),
      pool: field(2, 'ResourcePool', 'The pool.', { required: true, keep: true }),
      nodeName: field(3, '*string', 'The only node that has the devices; fixed.'),
      nodeSelector: field(4, '*core.NodeSelector', 'Nodes that have the devices.'),
      allNodes: field(5, '*bool', 'Whether all nodes have the devices.'),
      devices: field(6, '[]Device', 'The devices; at most 128.', { list: 'atomic', distinguishesEmpty: true }),
      perDeviceNodeSelection: field(7, '*bool', 'Whether each device says which nodes have it.', {
        gate: 'DRAPartitionableDevices',
      }),
      sharedCounters: field(8, '[]CounterSet', 'Amounts that devices of the pool share.', {
        list: 'atomic',
        distinguishesEmpty: true,
        gate: 'DRAPartitionableDevices',
      }),
    }),
  },
  kinds: [
    {
      kind: 'DeviceClass',
      plural: 'deviceclasses',
      namespaced: false,
      columns: [column('Name', 'string', 0, 'name'), column('Age', 'string')],
    },
    {
      kind: 'ResourceClaim',
      plural: 'resourceclaims',
      namespaced: true,
      subresources: {
        status: { verbs: ['get', 'patch', 'update'] },
      },
      columns: [column('Name', 'string', 0, 'name'), column('State', 'string'), column('Age', 'string')],
    },
    {
      kind: 'ResourceClaimTemplate',
      plural: 'resourceclaimtemplates',
      namespaced: true,
      columns: [column('Name', 'string', 0, 'name'), column('Age', 'string')],
    },
    {
      kind: 'ResourceSlice',
      plural: 'resourceslices',
      namespaced: false,
      selectableFields: {
        'spec.nodeName': 'spec.nodeName',
        'spec.driver': 'spec.driver',
      },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Node', 'string'),
        column('Driver', 'string'),
        column('Pool', 'string'),
        column('Age', 'string'),
      ],
    },
  ],
};
