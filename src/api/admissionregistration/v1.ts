/** The admissionregistration.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

/** Of webhooks of both kinds: which requests they are called for. */
const WEBHOOK_FIELDS = {
  name: field(1, 'string', 'Full name of the webhook, such as check.example.com.', { required: true, keep: true }),
  clientConfig: field(2, 'WebhookClientConfig', 'How to reach the webhook.', { required: true, keep: true }),
  rules: field(3, '[]RuleWithOperations', 'Operations and resources on which it is called.', {
    list: 'atomic',
    distinguishesEmpty: true,
  }),
  failurePolicy: field(4, '*FailurePolicyType', 'If it cannot be called: Fail (default) or Ignore.', {
    default: 'Fail',
  }),
  matchPolicy: field(
    9,
    '*MatchPolicyType',
    'Exact, or Equivalent to match other versions of a resource too (default).',
    { default: 'Equivalent' },
  ),
  namespaceSelector: field(5, '*meta.LabelSelector', "Labels of the object's namespace; default all."),
};

/** Of webhooks of both kinds: how they are called. */
const CALL_FIELDS = {
  sideEffects: field(6, '*SideEffectClass', 'None or NoneOnDryRun; other values only on old objects.', {
    required: true,
    keep: true,
  }),
  timeoutSeconds: field(7, '*int32', 'Seconds to wait for the answer, 1 to 30; default 10.', { default: 10 }),
  admissionReviewVersions: field(8, '[]string', 'AdmissionReview versions that it understands, best first.', {
    required: true,
    keep: true,
    list: 'atomic',
  }),
};

export const admissionregistrationV1: PackageDeclaration = {
  alias: 'admissionregistration',
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.admissionregistration.v1',
  strings: {
    FailurePolicyType: ['Ignore', 'Fail'],
    MatchPolicyType: ['Exact', 'Equivalent'],
    OperationType: ['*', 'CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    ParameterNotFoundActionType: ['Allow', 'Deny'],
    PatchType: ['ApplyConfiguration', 'JSONPatch'],
    ReinvocationPolicyType: ['Never', 'IfNeeded'],
    ScopeType: ['Cluster', 'Namespaced', '*'],
    SideEffectClass: ['Unknown', 'None', 'Some', 'NoneOnDryRun'],
    ValidationAction: ['Deny', 'Warn', 'Audit'],
  },
  messages: {
    ApplyConfiguration: message('A change that is merged in by server-side apply.', {
      expression: field(1, 'string', 'CEL expression that gives the object to apply.'),
    }),
    AuditAnnotation: message('An audit annotation made by a policy.', {
      key: field(1, 'string', "Key of the annotation, prefixed with the policy's name.", {
        required: true,
        keep: true,
      }),
      valueExpression: field(2, 'string', 'CEL expression that gives the value, or null for none.', {
        required: true,
        keep: true,
      }),
    }),
    ExpressionWarning: message('A problem found in an expression.', {
      fieldRef: field(2, 'string', 'Path of the expression in the policy.', { required: true, keep: true }),
      warning: field(3, 'string', 'The problem, for people to read.', { required: true, keep: true }),
    }),
    JSONPatch: message('A change written as a JSON patch.', {
      expression: field(1, 'string', 'CEL expression that gives a list of JSONPatch operations.'),
    }),
    MatchCondition: message('A CEL condition on whether a request is considered.', {
      name: field(1, 'string', 'Name of the condition, unique in its list.', { required: true, keep: true }),
      expression: field(2, 'string', 'CEL expression; false skips the webhook or policy.', {
        required: true,
        keep: true,
      }),
    }),
    MatchResources: message(
      'Which requests a policy considers.',
      {
        namespaceSelector: field(1, '*meta.LabelSelector', "Labels of the object's namespace; default all."),
        objectSelector: field(2, '*meta.LabelSelector', 'Labels of the object or the old object; default all.'),
        resourceRules: field(
          3,
          '[]NamedRuleWithOperations',
          'Operations and resources that match; any one is enough.',
          { list: 'atomic' },
        ),
        excludeResourceRules: field(
          4,
          '[]NamedRuleWithOperations',
          'Operations and resources that do not match, even if listed above.',
          { list: 'atomic' },
        ),
        matchPolicy: field(
          7,
          '*MatchPolicyType',
          'Exact, or Equivalent to match other versions of a resource too (default).',
          { default: 'Equivalent' },
        ),
      },
      { atomic: true },
    ),
    MutatingAdmissionPolicy: object('Changes objects on admission by CEL expressions.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'MutatingAdmissionPolicySpec', 'The desired state, as the user asks for it.'),
    }),
    MutatingAdmissionPolicyBinding: object('Puts a MutatingAdmissionPolicy in force.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'MutatingAdmissionPolicyBindingSpec', 'The desired state, as the user asks for it.'),
    }),
    MutatingAdmissionPolicyBindingList: listOf('MutatingAdmissionPolicyBinding'),
    MutatingAdmissionPolicyBindingSpec: message('Where and with which parameters a policy is in force.', {
      policyName: field(1, 'string', 'Name of the policy.'),
      paramRef: field(2, '*ParamRef', 'Objects with parameters for the policy.'),
      matchResources: field(3, '*MatchResources', 'Narrows the requests that the policy considers.'),
    }),
    MutatingAdmissionPolicyList: listOf('MutatingAdmissionPolicy'),
    MutatingAdmissionPolicySpec: message('Which requests are changed and how.', {
      paramKind: field(1, '*ParamKind', 'Kind of the objects that carry parameters.'),
      matchConstraints: field(2, '*MatchResources', 'Requests that the policy considers; required.'),
      variables: field(3, '[]Variable', 'Named expressions that later ones can use.', { list: 'atomic' }),
      mutations: field(4, '[]Mutation', 'The changes, applied in order.', { list: 'atomic' }),
      failurePolicy: field(5, '*FailurePolicyType', 'On errors: Fail (default) or Ignore.', { default: 'Fail' }),
      matchConditions: field(
        6,
        '[]MatchCondition',
        'CEL conditions that must all hold for the policy to run; at most 64.',
        { list: { map: ['name'] }, patch: 'merge', mergeKey: 'name' },
      ),
      reinvocationPolicy: field(7, 'ReinvocationPolicyType', 'Run again after later changes: Never or IfNeeded.'),
    }),
    MutatingWebhook: message('A webhook that may change objects.', {
      ...WEBHOOK_FIELDS,
      objectSelector: field(11, '*meta.LabelSelector', 'Labels of the object or the old object; default all.'),
      ...CALL_FIELDS,
      reinvocationPolicy: field(
        10,
        '*ReinvocationPolicyType',
        'Call again after later changes: Never (default) or IfNeeded.',
        { default: 'Never' },
      ),
      matchConditions: field(
        12,
        '[]MatchCondition',
        'CEL conditions that must all hold for it to be called; at most 64.',
        { list: { map: ['name'] }, patch: 'merge', mergeKey: 'name', distinguishesEmpty: true },
      ),
    }),
    MutatingWebhookConfiguration: object('Webhooks that may change objects on admission.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      webhooks: field(2, '[]MutatingWebhook', 'The webhooks.', {
        list: { map: ['name'] },
        patch: 'merge',
        mergeKey: 'name',
        distinguishesEmpty: true,
      }),
    }),
    MutatingWebhookConfigurationList: listOf('MutatingWebhookConfiguration'),
    Mutation: message('One change to an object.', {
      patchType: field(2, 'PatchType', 'ApplyConfiguration or JSONPatch.', { required: true, keep: true }),
      applyConfiguration: field(3, '*ApplyConfiguration', 'A change merged in by server-side apply.'),
      jsonPatch: field(4, '*JSONPatch', 'A change written as a JSON patch.'),
    }),
    NamedRuleWithOperations: message(
      'Operations on resources, perhaps on certain objects only.',
      {
        resourceNames: field(1, '[]string', 'Names of the objects; empty for all.', { list: 'atomic' }),
        ruleWithOperations: field(2, 'RuleWithOperations', 'The operations and resources.', { inline: true }),
      },
      { atomic: true },
    ),
    ParamKind: message(
      'Kind of the objects that carry parameters.',
      {
        apiVersion: field(1, 'string', 'Group and version, as group/version.'),
        kind: field(2, 'string', 'Kind of the objects.'),
      },
      { atomic: true },
    ),
    ParamRef: message(
      'Which objects carry the parameters.',
      {
        name: field(1, 'string', 'Name of the object; excludes selector.'),
        namespace: field(2, 'string', 'Namespace of the objects; default that of the request.'),
        selector: field(3, '*meta.LabelSelector', 'Labels of the objects; excludes name.'),
        parameterNotFoundAction: field(4, '*ParameterNotFoundActionType', 'If none is found: Allow or Deny.'),
      },
      { atomic: true },
    ),
    Rule: message('Resources that match.', {
      apiGroups: field(1, '[]string', 'API groups; * for all.'),
      apiVersions: field(2, '[]string', 'API versions; * for all.'),
      resources: field(3, '[]string', 'Resources or resource/subresource; * for all.'),
      scope: field(4, '*ScopeType', 'Cluster, Namespaced or * (default).', { default: '*' }),
    }),
    RuleWithOperations: message('Operations and resources that match.', {
      operations: field(1, '[]OperationType', 'CREATE, UPDATE, DELETE, CONNECT or * for all.', { list: 'atomic' }),
      rule: field(2, 'Rule', 'The resources.', { inline: true }),
    }),
    ServiceReference: message('A Service that is called.', {
      namespace: field(1, 'string', 'Namespace of the Service.', { required: true, keep: true }),
      name: field(2, 'string', 'Name of the Service.', { required: true, keep: true }),
      path: field(3, '*string', 'URL path of the call.'),
      port: field(4, '*int32', 'Port of the Service; default 443.', { default: 443 }),
    }),
    TypeChecking: message("Result of checking a policy's expressions.", {
      expressionWarnings: field(1, '[]ExpressionWarning', 'Problems found.', { list: 'atomic' }),
    }),
    ValidatingAdmissionPolicy: object('Checks requests on admission by CEL expressions.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'ValidatingAdmissionPolicySpec', 'The desired state, as the user asks for it.'),
      status: field(3, 'ValidatingAdmissionPolicyStatus', 'The observed state, as the system last reported it.'),
    }),
    ValidatingAdmissionPolicyBinding: object('Puts a ValidatingAdmissionPolicy in force.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'ValidatingAdmissionPolicyBindingSpec', 'The desired state, as the user asks for it.', {
        required: true,
      }),
    }),
    ValidatingAdmissionPolicyBindingList: listOf('ValidatingAdmissionPolicyBinding'),
    ValidatingAdmissionPolicyBindingSpec: message('Where, with which parameters and how a policy is enforced.', {
      policyName: field(1, 'string', 'Name of the policy.', { required: true }),
      paramRef: field(2, '*ParamRef', 'Objects with parameters for the policy.'),
      matchResources: field(3, '*MatchResources', 'Narrows the requests that the policy considers.'),
      validationActions: field(4, '[]ValidationAction', 'What a failed validation does: Deny, Warn or Audit.', {
        required: true,
        list: 'set',
      }),
    }),
    ValidatingAdmissionPolicyList: listOf('ValidatingAdmissionPolicy'),
    ValidatingAdmissionPolicySpec: message('Which requests are checked and how.', {
      paramKind: field(1, '*ParamKind', 'Kind of the objects that carry parameters.'),
      matchConstraints: field(2, '*MatchResources', 'Requests that the policy considers; required.'),
      validations: field(3, '[]Validation', 'The checks; all must pass.', { list: 'atomic' }),
      failurePolicy: field(4, '*FailurePolicyType', 'On errors: Fail (default) or Ignore.', { default: 'Fail' }),
      auditAnnotations: field(5, '[]AuditAnnotation', 'Audit annotations to add to requests.', { list: 'atomic' }),
      matchConditions: field(
        6,
        '[]MatchCondition',
        'CEL conditions that must all hold for the policy to run; at most 64.',
        { list: { map: ['name'] }, patch: 'merge', mergeKey: 'name' },
      ),
      variables: field(7, '[]Variable', 'Named expressions that later ones can use.', {
        list: { map: ['name'] },
        patch: 'merge',
        mergeKey: 'name',
      }),
    }),
    ValidatingAdmissionPolicyStatus: message('State of a policy.', {
      observedGeneration: field(1, 'int64', 'The metadata.generation that this status describes.'),
      typeChecking: field(2, '*TypeChecking', 'Problems found in the expressions.'),
      conditions: field(3, '[]meta.Condition', 'Conditions of the policy.', { list: { map: ['type'] } }),
    }),
    ValidatingWebhook: message('A webhook that accepts or denies requests.', {
      ...WEBHOOK_FIELDS,
      objectSelector: field(10, '*meta.LabelSelector', 'Labels of the object or the old object; default all.'),
      ...CALL_FIELDS,
      matchConditions: field(
        11,
        '[]MatchCondition',
        'CEL conditions that must all hold for it to be called; at most 64.',
        { list: { map: ['name'] }, patch: 'merge', mergeKey: 'name', distinguishesEmpty: true },
      ),
    }),
    ValidatingWebhookConfiguration: object('Webhooks that accept or deny requests on admission.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      webhooks: field(2, '[]ValidatingWebhook', 'The webhooks.', {
        list: { map: ['name'] },
        patch: 'merge',
        mergeKey: 'name',
        distinguishesEmpty: true,
      }),
    }),
    ValidatingWebhookConfigurationList: listOf('ValidatingWebhookConfiguration'),
    Validation: message('One check of a request.', {
      expression: field(1, 'string', 'CEL expression; false denies the request.', { keep: true, required: true }),
      message: field(2, 'string', 'Message when the check fails.'),
      reason: field(3, '*meta.StatusReason', 'Status reason when the check fails; default Invalid.'),
      messageExpression: field(4, 'string', 'CEL expression that gives the message; wins over message.'),
    }),
    Variable: message(
      'A named expression.',
      {
        name: field(1, 'string', 'Name, used as variables.name.', { required: true, keep: true }),
        expression: field(2, 'string', 'CEL expression that gives the value.', { required: true, keep: true }),
      },
      { atomic: true },
    ),
    WebhookClientConfig: message('How to reach a webhook; either url or service.', {
      url: field(3, '*string', 'URL of the webhook; must begin with https://.'),
      service: field(1, '*ServiceReference', 'Service of the webhook.'),
      caBundle: field(2, 'bytes', "PEM certificates that the server's must chain to; default the system's."),
    }),
  },
  kinds: [
    {
      kind: 'MutatingAdmissionPolicy',
      plural: 'mutatingadmissionpolicies',
      namespaced: false,
      categories: ['api-extensions'],
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Mutations', 'integer'),
        column('ParamKind', 'string'),
        column('Age', 'string'),
      ],
    },
    {
      kind: 'MutatingAdmissionPolicyBinding',
      plural: 'mutatingadmissionpolicybindings',
      namespaced: false,
      categories: ['api-extensions'],
      columns: [
        column('Name', 'string', 0, 'name'),
        column('PolicyName', 'string'),
        column('ParamRef', 'string'),
        column('Age', 'string'),
      ],
    },
    {
      kind: 'MutatingWebhookConfiguration',
      plural: 'mutatingwebhookconfigurations',
      namespaced: false,
      categories: ['api-extensions'],
      columns: [column('Name', 'string', 0, 'name'), column('Webhooks', 'integer'), column('Age', 'string')],
    },
    {
      kind: 'ValidatingAdmissionPolicy',
      plural: 'validatingadmissionpolicies',
      namespaced: false,
      categories: ['api-extensions'],
      subresources: {
        status: { verbs: ['get', 'patch', 'update'] },
      },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Validations', 'integer'),
        column('ParamKind', 'string'),
        column('Age', 'string'),
      ],
    },
    {
      kind: 'ValidatingAdmissionPolicyBinding',
      plural: 'validatingadmissionpolicybindings',
      namespaced: false,
      categories: ['api-extensions'],
      columns: [
        column('Name', 'string', 0, 'name'),
        column('PolicyName', 'string'),
        column('ParamRef', 'string'),
        column('Age', 'string'),
      ],
    },
    {
      kind: 'ValidatingWebhookConfiguration',
      plural: 'validatingwebhookconfigurations',
      namespaced: false,
      categories: ['api-extensions'],
      columns: [column('Name', 'string', 0, 'name'), column('Webhooks', 'integer'), column('Age', 'string')],
    },
  ],
};
