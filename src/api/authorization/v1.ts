/** The authorization.k8s.io group, v1. */
import { field, message, object, type PackageDeclaration } from '../declare.ts';

export const authorizationV1: PackageDeclaration = {
  alias: 'authorization',
  group: 'authorization.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.authorization.v1',
  strings: {},
  messages: {
    FieldSelectorAttributes: message('Limits a request by field selector.', {
      rawSelector: field(1, 'string', 'The selector as in the query; excludes requirements.'),
      requirements: field(2, '[]meta.FieldSelectorRequirement', 'The selector, parsed; all tests must hold.', {
        list: 'atomic',
      }),
    }),
    LabelSelectorAttributes: message('Limits a request by label selector.', {
      rawSelector: field(1, 'string', 'The selector as in the query; excludes requirements.'),
      requirements: field(2, '[]meta.LabelSelectorRequirement', 'The selector, parsed; all tests must hold.', {
        list: 'atomic',
      }),
    }),
    LocalSubjectAccessReview: object('Asks whether a user may do something in one namespace.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'SubjectAccessReviewSpec', 'What is asked.', { required: true, keep: true }),
      status: field(3, 'SubjectAccessReviewStatus', 'The answer, filled by the server.'),
    }),
    NonResourceAttributes: message('A request to a URL that is not a resource.', {
      path: field(1, 'string', 'URL path.'),
      verb: field(2, 'string', 'HTTP verb in lower case.'),
    }),
    NonResourceRule: message('URLs that a user may request.', {
      verbs: field(1, '[]string', 'Allowed verbs; * for all.', { required: true, keep: true, list: 'atomic' }),
      nonResourceURLs: field(2, '[]string', 'Allowed URL paths; * for all, or as a last part.', { list: 'atomic' }),
    }),
    ResourceAttributes: message('A request for a resource.', {
      namespace: field(1, 'string', 'Namespace of the request; "" for none or all.'),
      verb: field(2, 'string', 'Verb such as get, list or create; * for all.'),
      group: field(3, 'string', 'API group; * for all.'),
      version: field(4, 'string', 'API version; * for all.'),
      resource: field(5, 'string', 'Resource; * for all.'),
      subresource: field(6, 'string', 'Subresource; "" for none.'),
      name: field(7, 'string', 'Name of the object; "" for all.'),
      fieldSelector: field(8, '*FieldSelectorAttributes', 'Field selector of the request.'),
      labelSelector: field(9, '*LabelSelectorAttributes', 'Label selector of the request.'),
    }),
    ResourceRule: message('What a user may do with some resources.', {
      verbs: field(1, '[]string', 'Allowed verbs; * for all.', { required: true, keep: true, list: 'atomic' }),
      apiGroups: field(2, '[]string', 'API groups; * for all.', { list: 'atomic' }),
      resources: field(3, '[]string', 'Resources or resource/subresource; * for all.', { list: 'atomic' }),
      resourceNames: field(4, '[]string', 'Names of the objects; empty for all.', { list: 'atomic' }),
    }),
    SelfSubjectAccessReview: object('Asks whether the caller may do something.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'SelfSubjectAccessReviewSpec', 'What is asked.', { required: true, keep: true }),
      status: field(3, 'SubjectAccessReviewStatus', 'The answer, filled by the server.'),
    }),
    SelfSubjectAccessReviewSpec: message('The request in question; exactly one member.', {
      resourceAttributes: field(1, '*ResourceAttributes', 'A request for a resource.'),
      nonResourceAttributes: field(2, '*NonResourceAttributes', 'A request to another URL.'),
    }),
    SelfSubjectRulesReview: object('Asks what the caller may do in a namespace.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'SelfSubjectRulesReviewSpec', 'What is asked.', { required: true, keep: true }),
      status: field(3, 'SubjectRulesReviewStatus', 'The answer, filled by the server.'),
    }),
    SelfSubjectRulesReviewSpec: message('The namespace in question.', {
      namespace: field(1, 'string', 'Name of the namespace; required.'),
    }),
    SubjectAccessReview: object('Asks whether a user may do something.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'SubjectAccessReviewSpec', 'What is asked.', { required: true, keep: true }),
      status: field(3, 'SubjectAccessReviewStatus', 'The answer, filled by the server.'),
    }),
    SubjectAccessReviewSpec: message('The user and request in question.', {
      resourceAttributes: field(1, '*ResourceAttributes', 'A request for a resource.'),
      nonResourceAttributes: field(2, '*NonResourceAttributes', 'A request to another URL.'),
      user: field(3, 'string', 'Name of the user.'),
      groups: field(4, '[]string', 'Groups of the user.', { list: 'atomic' }),
      extra: field(5, 'map[string]ExtraValue', 'Further information about the user.'),
      uid: field(6, 'string', 'UID of the user.'),
    }),
    SubjectAccessReviewStatus: message('Whether the request is allowed.', {
      allowed: field(1, 'bool', 'Whether it is allowed.', { required: true, keep: true }),
      denied: field(4, 'bool', 'Whether it is denied outright; if neither, no authorizer has an opinion.'),
      reason: field(2, 'string', 'Why it is allowed or denied.'),
      evaluationError: field(3, 'string', 'Error during the check; the result may still stand.'),
    }),
    SubjectRulesReviewStatus: message('What the user may do; the list may lack rules.', {
      resourceRules: field(1, '[]ResourceRule', 'What is allowed on resources.', {
        required: true,
        keep: true,
        list: 'atomic',
      }),
      nonResourceRules: field(2, '[]NonResourceRule', 'What is allowed on other URLs.', {
        required: true,
        keep: true,
        list: 'atomic',
      }),
      incomplete: field(3, 'bool', 'Whether rules may be missing, as from an authorizer that cannot list.', {
        required: true,
        keep: true,
      }),
      evaluationError: field(4, 'string', 'Error during the check; the list may lack rules.'),
    }),
  },
  kinds: [
    {
      kind: 'LocalSubjectAccessReview',
      plural: 'localsubjectaccessreviews',
      namespaced: true,
      verbs: ['create'],
    },
    {
      kind: 'SelfSubjectAccessReview',
      plural: 'selfsubjectaccessreviews',
      namespaced: false,
      verbs: ['create'],
    },
    {
      kind: 'SelfSubjectRulesReview',
      plural: 'selfsubjectrulesreviews',
      namespaced: false,
      verbs: ['create'],
    },
    {
      kind: 'SubjectAccessReview',
      plural: 'subjectaccessreviews',
      namespaced: false,
      verbs: ['create'],
    },
  ],
};
