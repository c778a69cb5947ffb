/** The flowcontrol.apiserver.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const flowcontrolV1: PackageDeclaration = {
  alias: 'flowcontrol',
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.flowcontrol.v1',
  strings: {
    ConditionStatus: ['True', 'False', 'Unknown'],
    FlowDistinguisherMethodType: ['ByUser', 'ByNamespace'],
    FlowSchemaConditionType: [],
    LimitResponseType: ['Queue', 'Reject'],
    PriorityLevelConfigurationConditionType: [],
    PriorityLevelEnablement: ['Exempt', 'Limited'],
    SubjectKind: ['User', 'Group', 'ServiceAccount'],
  },
  messages: {
    ExemptPriorityLevelConfiguration: message('', {
      nominalConcurrencyShares: field(1, '*int32', ''),
      lendablePercent: field(2, '*int32', ''),
    }),
    FlowDistinguisherMethod: message('', {
      type: field(1, 'FlowDistinguisherMethodType', '', { required: true, keep: true }),
    }),
    FlowSchema: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'FlowSchemaSpec', 'The desired state, as the user asks for it.'),
      status: field(3, 'FlowSchemaStatus', 'The observed state, as the system last reported it.'),
    }),
    FlowSchemaCondition: message('', {
      type: field(1, 'FlowSchemaConditionType', ''),
      status: field(2, 'ConditionStatus', 'Whether the condition holds: True, False or Unknown.'),
      lastTransitionTime: field(3, 'Time', 'When the status last changed.'),
      reason: field(4, 'string', 'One CamelCase word on why the condition has its status.'),
      message: field(5, 'string', 'Details of the last change, for people to read.'),
    }),
    FlowSchemaList: listOf('FlowSchema'),
    FlowSchemaSpec: message('', {
      priorityLevelConfiguration: field(1, 'PriorityLevelConfigurationReference', '', { required: true, keep: true }),
      matchingPrecedence: field(2, 'int32', '', { keep: true }),
      distinguisherMethod: field(3, '*FlowDistinguisherMethod', ''),
      rules: field(4, '[]PolicyRulesWithSubjects', '', { list: 'atomic' }),
    }),
    FlowSchemaStatus: message('', {
      conditions: field(1, '[]FlowSchemaCondition', '', { list: { map: ['type'] }, patch: 'merge', mergeKey: 'type' }),
    }),
    GroupSubject: message('', {
      name: field(1, 'string', '', { required: true, keep: true }),
    }),
    LimitResponse: message('', {
      type: field(1, 'LimitResponseType', '', { required: true, keep: true }),
      queuing: field(2, '*QueuingConfiguration', ''),
    }),
    LimitedPriorityLevelConfiguration: message('', {
      nominalConcurrencyShares: field(1, '*int32', '', { keep: true }),
      limitResponse: field(2, 'LimitResponse', ''),
      lendablePercent: field(3, '*int32', ''),
      borrowingLimitPercent: field(4, '*int32', ''),
    }),
    NonResourcePolicyRule: message('', {
      verbs: field(1, '[]string', '', { required: true, keep: true, list: 'set' }),
      nonResourceURLs: field(6, '[]string', '', { required: true, keep: true, list: 'set' }),
    }),
    PolicyRulesWithSubjects: message('', {
      subjects: field(1, '[]Subject', '', { required: true, keep: true, list: 'atomic' }),
      resourceRules: field(2, '[]ResourcePolicyRule', '', { list: 'atomic' }),
      nonResourceRules: field(3, '[]NonResourcePolicyRule', '', { list: 'atomic' }),
    }),
    PriorityLevelConfiguration: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'PriorityLevelConfigurationSpec', 'The desired state, as the user asks for it.'),
      status: field(3, 'PriorityLevelConfigurationStatus', 'The observed state, as the system last reported it.'),
    }),
    PriorityLevelConfigurationCondition: message('', {
      type: field(1, 'PriorityLevelConfigurationConditionType', ''),
      status: field(2, 'ConditionStatus', 'Whether the condition holds: True, False or Unknown.'),
      lastTransitionTime: field(3, 'Time', 'When the status last changed.'),
      reason: field(4, 'string', 'One CamelCase word on why the condition has its status.'),
      message: field(5, 'string', 'Details of the last change, for people to read.'),
    }),
    PriorityLevelConfigurationList: listOf('PriorityLevelConfiguration'),
    PriorityLevelConfigurationReference: message('', {
      name: field(1, 'string', '', { required: true, keep: true }),
    }),
    PriorityLevelConfigurationSpec: message('', {
      type: field(1, 'PriorityLevelEnablement', '', { required: true, keep: true }),
      limited: field(2, '*LimitedPriorityLevelConfiguration', ''),
      exempt: field(3, '*ExemptPriorityLevelConfiguration', ''),
    }),
    PriorityLevelConfigurationStatus: message('', {
      conditions: field(1, '[]PriorityLevelConfigurationCondition', '', { list: { map: ['type'] }, patch: 'merge', mergeKey: 'type' }),
    }),
    QueuingConfiguration: message('', {
      queues: field(1, 'int32', '', { keep: true }),
      handSize: field(2, 'int32', '', { keep: true }),
      queueLengthLimit: field(3, 'int32', '', { keep: true }),
    }),
    ResourcePolicyRule: message('', {
      verbs: field(1, '[]string', '', { required: true, keep: true, list: 'set' }),
      apiGroups: field(2, '[]string', '', { required: true, keep: true, list: 'set' }),
      resources: field(3, '[]string', '', { required: true, keep: true, list: 'set' }),
      clusterScope: field(4, 'bool', ''),
      namespaces: field(5, '[]string', '', { keep: true, list: 'set' }),
    }),
    ServiceAccountSubject: message('', {
      namespace: field(1, 'string', '', { required: true, keep: true }),
      name: field(2, 'string', '', { required: true, keep: true }),
    }),
    Subject: message('', {
      kind: field(1, 'SubjectKind', '', { required: true, keep: true }),
      user: field(2, '*UserSubject', ''),
      group: field(3, '*GroupSubject', ''),
      serviceAccount: field(4, '*ServiceAccountSubject', ''),
    }),
    UserSubject: message('', {
      name: field(1, 'string', '', { required: true, keep: true }),
    }),
  },
  kinds: [
    {
      kind: 'FlowSchema',
      plural: 'flowschemas',
      singular: 'flowschema',
      namespaced: false,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      subresources: {
        status: { verbs: ['get', 'patch', 'update'] },
      },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('PriorityLevel', 'string'),
        column('MatchingPrecedence', 'string'),
        column('DistinguisherMethod', 'string'),
        column('Age', 'string'),
        column('MissingPL', 'string'),
      ],
    },
    {
      kind: 'PriorityLevelConfiguration',
      plural: 'prioritylevelconfigurations',
      singular: 'prioritylevelconfiguration',
      namespaced: false,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      subresources: {
        status: { verbs: ['get', 'patch', 'update'] },
      },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Type', 'string'),
        column('NominalConcurrencyShares', 'string'),
        column('Queues', 'string'),
        column('HandSize', 'string'),
        column('QueueLengthLimit', 'string'),
        column('Age', 'string'),
      ],
    },
  ],
};
