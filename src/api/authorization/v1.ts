/** The authorization.k8s.io group, v1. */
import { field, message, object, type PackageDeclaration } from '../declare.ts';

export const authorizationV1: PackageDeclaration = {
  alias: 'authorization',
  group: 'authorization.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.authorization.v1',
  strings: {
  },
  messages: {
    FieldSelectorAttributes: message('', {
      rawSelector: field(1, 'string', ''),
      requirements: field(2, '[]meta.FieldSelectorRequirement', '', { list: 'atomic' }),
    }),
    LabelSelectorAttributes: message('', {
      rawSelector: field(1, 'string', ''),
      requirements: field(2, '[]meta.LabelSelectorRequirement', '', { list: 'atomic' }),
    }),
    LocalSubjectAccessReview: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'SubjectAccessReviewSpec', 'What is asked.', { required: true, keep: true }),
      status: field(3, 'SubjectAccessReviewStatus', 'The answer, filled by the server.'),
    }),
    NonResourceAttributes: message('', {
      path: field(1, 'string', ''),
      verb: field(2, 'string', ''),
    }),
    NonResourceRule: message('', {
      verbs: field(1, '[]string', '', { required: true, keep: true, list: 'atomic' }),
      nonResourceURLs: field(2, '[]string', '', { list: 'atomic' }),
    }),
    ResourceAttributes: message('', {
      namespace: field(1, 'string', ''),
      verb: field(2, 'string', ''),
      group: field(3, 'string', ''),
      version: field(4, 'string', ''),
      resource: field(5, 'string', ''),
      subresource: field(6, 'string', ''),
      name: field(7, 'string', ''),
      fieldSelector: field(8, '*FieldSelectorAttributes', ''),
      labelSelector: field(9, '*LabelSelectorAttributes', ''),
    }),
    ResourceRule: message('', {
      verbs: field(1, '[]string', '', { required: true, keep: true, list: 'atomic' }),
      apiGroups: field(2, '[]string', '', { list: 'atomic' }),
      resources: field(3, '[]string', '', { list: 'atomic' }),
      resourceNames: field(4, '[]string', '', { list: 'atomic' }),
    }),
    SelfSubjectAccessReview: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'SelfSubjectAccessReviewSpec', 'What is asked.', { required: true, keep: true }),
      status: field(3, 'SubjectAccessReviewStatus', 'The answer, filled by the server.'),
    }),
    SelfSubjectAccessReviewSpec: message('', {
      resourceAttributes: field(1, '*ResourceAttributes', ''),
      nonResourceAttributes: field(2, '*NonResourceAttributes', ''),
    }),
    SelfSubjectRulesReview: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'SelfSubjectRulesReviewSpec', 'What is asked.', { required: true, keep: true }),
      status: field(3, 'SubjectRulesReviewStatus', 'The answer, filled by the server.'),
    }),
    SelfSubjectRulesReviewSpec: message('', {
      namespace: field(1, 'string', ''),
    }),
    SubjectAccessReview: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'SubjectAccessReviewSpec', 'What is asked.', { required: true, keep: true }),
      status: field(3, 'SubjectAccessReviewStatus', 'The answer, filled by the server.'),
    }),
    SubjectAccessReviewSpec: message('', {
      resourceAttributes: field(1, '*ResourceAttributes', ''),
      nonResourceAttributes: field(2, '*NonResourceAttributes', ''),
      user: field(3, 'string', ''),
      groups: field(4, '[]string', '', { list: 'atomic' }),
      extra: field(5, 'map[string]ExtraValue', ''),
      uid: field(6, 'string', ''),
    }),
    SubjectAccessReviewStatus: message('', {
      allowed: field(1, 'bool', '', { required: true, keep: true }),
      denied: field(4, 'bool', ''),
      reason: field(2, 'string', ''),
      evaluationError: field(3, 'string', ''),
    }),
    SubjectRulesReviewStatus: message('', {
      resourceRules: field(1, '[]ResourceRule', '', { required: true, keep: true, list: 'atomic' }),
      nonResourceRules: field(2, '[]NonResourceRule', '', { required: true, keep: true, list: 'atomic' }),
      incomplete: field(3, 'bool', '', { required: true, keep: true }),
      evaluationError: field(4, 'string', ''),
    }),
  },
  kinds: [
    {
      kind: 'LocalSubjectAccessReview',
      plural: 'localsubjectaccessreviews',
      singular: 'localsubjectaccessreview',
      namespaced: true,
      verbs: ['create'],
    },
    {
      kind: 'SelfSubjectAccessReview',
      plural: 'selfsubjectaccessreviews',
      singular: 'selfsubjectaccessreview',
      namespaced: false,
      verbs: ['create'],
    },
    {
      kind: 'SelfSubjectRulesReview',
      plural: 'selfsubjectrulesreviews',
      singular: 'selfsubjectrulesreview',
      namespaced: false,
      verbs: ['create'],
    },
    {
      kind: 'SubjectAccessReview',
      plural: 'subjectaccessreviews',
      singular: 'subjectaccessreview',
      namespaced: false,
      verbs: ['create'],
    },
  ],
};
