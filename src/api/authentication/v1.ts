/** The authentication.k8s.io group, v1. */
import { field, message, object, type PackageDeclaration } from '../declare.ts';

export const authenticationV1: PackageDeclaration = {
  alias: 'authentication',
  group: 'authentication.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.authentication.v1',
  strings: {
  },
  messages: {
    BoundObjectReference: message('', {
      kind: field(1, 'string', ''),
      apiVersion: field(2, 'string', ''),
      name: field(3, 'string', ''),
      uid: field(4, 'string', ''),
    }),
    SelfSubjectReview: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      status: field(2, 'SelfSubjectReviewStatus', 'The answer, filled by the server.'),
    }),
    SelfSubjectReviewStatus: message('', {
      userInfo: field(1, 'UserInfo', ''),
    }),
    TokenRequest: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'TokenRequestSpec', 'What is asked.', { keep: true }),
      status: field(3, 'TokenRequestStatus', 'The answer, filled by the server.'),
    }),
    TokenRequestSpec: message('', {
      audiences: field(1, '[]string', '', { keep: true, list: 'atomic' }),
      expirationSeconds: field(4, '*int64', '', { keep: true }),
      boundObjectRef: field(3, '*BoundObjectReference', '', { keep: true }),
    }),
    TokenRequestStatus: message('', {
      token: field(1, 'string', '', { keep: true }),
      expirationTimestamp: field(2, 'Time', '', { keep: true }),
    }),
    TokenReview: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'TokenReviewSpec', 'What is asked.', { required: true, keep: true }),
      status: field(3, 'TokenReviewStatus', 'The answer, filled by the server.'),
    }),
    TokenReviewSpec: message('', {
      token: field(1, 'string', '', { required: true }),
      audiences: field(2, '[]string', '', { list: 'atomic' }),
    }),
    TokenReviewStatus: message('', {
      authenticated: field(1, 'bool', ''),
      user: field(2, 'UserInfo', ''),
      audiences: field(4, '[]string', '', { list: 'atomic' }),
      error: field(3, 'string', ''),
    }),
    UserInfo: message('', {
      username: field(1, 'string', ''),
      uid: field(2, 'string', ''),
      groups: field(3, '[]string', '', { list: 'atomic' }),
      extra: field(4, 'map[string]ExtraValue', ''),
    }),
  },
  kinds: [
    {
      kind: 'SelfSubjectReview',
      plural: 'selfsubjectreviews',
      singular: 'selfsubjectreview',
      namespaced: false,
      verbs: ['create'],
    },
    {
      kind: 'TokenReview',
      plural: 'tokenreviews',
      singular: 'tokenreview',
      namespaced: false,
      verbs: ['create'],
    },
  ],
};
