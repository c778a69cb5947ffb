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
    ExemptPriorityLevelConfiguration: message('Settings of a priority level without limit.', {
      nominalConcurrencyShares: field(1, '*int32', "Share of the server's concurrency that it can lend; default 0.", {
        default: 0,
      }),
      lendablePercent: field(2, '*int32', 'Percentage of its seats that others may borrow; default 0.', { default: 0 }),
    }),
    FlowDistinguisherMethod: message('How requests of a schema are told apart.', {
      type: field(1, 'FlowDistinguisherMethodType', 'ByUser or ByNamespace.', { required: true, keep: true }),
    }),
    FlowSchema: object('Assigns matching requests to a priority level.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'FlowSchemaSpec', 'The desired state, as the user asks for it.'),
      status: field(3, 'FlowSchemaStatus', 'The observed state, as the system last reported it.'),
    }),
    FlowSchemaCondition: message("One aspect of the schema's current state.", {
      type: field(1, 'FlowSchemaConditionType', 'Which condition: Dangling.'),
      status: field(2, 'ConditionStatus', 'Whether the condition holds: True, False or Unknown.'),
      lastTransitionTime: field(3, 'Time', 'When the status last changed.'),
      reason: field(4, 'string', 'One CamelCase word on why the condition has its status.'),
      message: field(5, 'string', 'Details of the last change, for people to read.'),
    }),
    FlowSchemaList: listOf('FlowSchema'),
    FlowSchemaSpec: message('Which requests go to which priority level.', {
      priorityLevelConfiguration: field(1, 'PriorityLevelConfigurationReference', 'The priority level.', {
        required: true,
        keep: true,
      }),
      matchingPrecedence: field(2, 'int32', 'Order of schemas: lower first; 1 to 10000, default 1000.', {
        keep: true,
        default: 1000,
      }),
      distinguisherMethod: field(
        3,
        '*FlowDistinguisherMethod',
        'How flows are told apart; unset puts all requests in one flow.',
      ),
      rules: field(4, '[]PolicyRulesWithSubjects', 'Requests that match; any rule is enough.', { list: 'atomic' }),
    }),
    FlowSchemaStatus: message('State of a schema.', {
      conditions: field(1, '[]FlowSchemaCondition', 'Conditions, such as Dangling.', {
        list: { map: ['type'] },
        patch: 'merge',
        mergeKey: 'type',
      }),
    }),
    GroupSubject: message('A group of users.', {
      name: field(1, 'string', 'Name of the group; * for all.', { required: true, keep: true }),
    }),
    LimitResponse: message(
      'What becomes of requests that cannot run at once.',
      {
        type: field(1, 'LimitResponseType', 'Queue or Reject.', { required: true, keep: true }),
        queuing: field(2, '*QueuingConfiguration', 'Settings of the queues; only for Queue.'),
      },
      { union: { discriminator: 'type', members: ['queuing'] } },
    ),
    LimitedPriorityLevelConfiguration: message('Settings of a priority level with a limit.', {
      nominalConcurrencyShares: field(1, '*int32', "Share of the server's concurrency; default 30.", {
        keep: true,
        default: 30,
      }),
      limitResponse: field(2, 'LimitResponse', 'What becomes of requests that cannot run at once.'),
      lendablePercent: field(3, '*int32', 'Percentage of its seats that others may borrow; default 0.', { default: 0 }),
      borrowingLimitPercent: field(4, '*int32', 'Most seats to borrow, as a percentage of its own; default no limit.'),
    }),
    NonResourcePolicyRule: message('Requests to URLs that are not resources.', {
      verbs: field(1, '[]string', 'Verbs that match; * for all.', { required: true, keep: true, list: 'set' }),
      nonResourceURLs: field(6, '[]string', 'URL paths that match; * for all, or as a last part.', {
        required: true,
        keep: true,
        list: 'set',
      }),
    }),
    PolicyRulesWithSubjects: message('Requests of some subjects.', {
      subjects: field(1, '[]Subject', 'Who makes the request; any one is enough.', {
        required: true,
        keep: true,
        list: 'atomic',
      }),
      resourceRules: field(2, '[]ResourcePolicyRule', 'Requests for resources; any one is enough.', { list: 'atomic' }),
      nonResourceRules: field(3, '[]NonResourcePolicyRule', 'Requests to other URLs; any one is enough.', {
        list: 'atomic',
      }),
    }),
    PriorityLevelConfiguration: object('Concurrency and queues for a class of requests.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'PriorityLevelConfigurationSpec', 'The desired state, as the user asks for it.'),
      status: field(3, 'PriorityLevelConfigurationStatus', 'The observed state, as the system last reported it.'),
    }),
    PriorityLevelConfigurationCondition: message("One aspect of the level's current state.", {
      type: field(1, 'PriorityLevelConfigurationConditionType', 'Which condition: ConcurrencyShared.'),
      status: field(2, 'ConditionStatus', 'Whether the condition holds: True, False or Unknown.'),
      lastTransitionTime: field(3, 'Time', 'When the status last changed.'),
      reason: field(4, 'string', 'One CamelCase word on why the condition has its status.'),
      message: field(5, 'string', 'Details of the last change, for people to read.'),
    }),
    PriorityLevelConfigurationList: listOf('PriorityLevelConfiguration'),
    PriorityLevelConfigurationReference: message('Points to a priority level.', {
      name: field(1, 'string', 'Name of the priority level.', { required: true, keep: true }),
    }),
    PriorityLevelConfigurationSpec: message(
      'Whether and how requests are limited.',
      {
        type: field(1, 'PriorityLevelEnablement', 'Exempt or Limited.', { required: true, keep: true }),
        limited: field(2, '*LimitedPriorityLevelConfiguration', 'Settings of type Limited.'),
        exempt: field(3, '*ExemptPriorityLevelConfiguration', 'Settings of type Exempt.'),
      },
      { union: { discriminator: 'type', members: ['exempt', 'limited'] } },
    ),
    PriorityLevelConfigurationStatus: message('State of a priority level.', {
      conditions: field(1, '[]PriorityLevelConfigurationCondition', 'Conditions of the level.', {
        list: { map: ['type'] },
        patch: 'merge',
        mergeKey: 'type',
      }),
    }),
    QueuingConfiguration: message('Queues of a priority level.', {
      queues: field(1, 'int32', 'Number of queues; default 64.', { keep: true, default: 64 }),
      handSize: field(2, 'int32', 'Queues that a flow may use; default 8.', { keep: true, default: 8 }),
      queueLengthLimit: field(3, 'int32', 'Most requests that wait in one queue; default 50.', {
        keep: true,
        default: 50,
      }),
    }),
    ResourcePolicyRule: message('Requests for resources.', {
      verbs: field(1, '[]string', 'Verbs that match; * for all.', { required: true, keep: true, list: 'set' }),
      apiGroups: field(2, '[]string', 'API groups that match; * for all.', { required: true, keep: true, list: 'set' }),
      resources: field(3, '[]string', 'Resources that match; * for all.', { required: true, keep: true, list: 'set' }),
      clusterScope: field(4, 'bool', 'Whether requests without a namespace match; default false.'),
      namespaces: field(5, '[]string', 'Namespaces that match; * for all.', { keep: true, list: 'set' }),
    }),
    ServiceAccountSubject: message('A service account.', {
      namespace: field(1, 'string', 'Namespace of the account.', { required: true, keep: true }),
      name: field(2, 'string', 'Name of the account; * for all of the namespace.', { required: true, keep: true }),
    }),
    Subject: message(
      'Who makes a request; the member named by kind is set.',
      {
        kind: field(1, 'SubjectKind', 'User, Group or ServiceAccount.', { required: true, keep: true }),
        user: field(2, '*UserSubject', 'A user.'),
        group: field(3, '*GroupSubject', 'A group of users.'),
        serviceAccount: field(4, '*ServiceAccountSubject', 'A service account.'),
      },
      { union: { discriminator: 'kind', members: ['group', 'serviceAccount', 'user'] } },
    ),
    UserSubject: message('A user.', {
      name: field(1, 'string', 'Name of the user; * for all.', { required: true, keep: true }),
    }),
  },
  kinds: [
    {
      kind: 'FlowSchema',
      plural: 'flowschemas',
      namespaced: false,
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
      namespaced: false,
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
