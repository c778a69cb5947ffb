/** The authentication.k8s.io group, v1. */
import { field, message, object, type PackageDeclaration } from '../declare.ts';

export const authenticationV1: PackageDeclaration = {
  alias: 'authentication',
  group: 'authentication.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.authentication.v1',
  strings: {},
  messages: {
    BoundObjectReference: message('An object to whose life a token is bound.', {
      kind: field(1, 'string', 'Kind of the object: Pod, Secret or Node.'),
      apiVersion: field(2, 'string', 'API version of the object.'),
      name: field(3, 'string', 'Name of the object.'),
      uid: field(4, 'string', 'UID of the object.'),
    }),
    SelfSubjectReview: object('Asks who the caller is.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      status: field(2, 'SelfSubjectReviewStatus', 'The answer, filled by the server.'),
    }),
    SelfSubjectReviewStatus: message('Who the caller is.', {
      userInfo: field(1, 'UserInfo', "The caller's user name, groups and so on."),
    }),
    TokenRequest: object('Asks for a token of a ServiceAccount.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'TokenRequestSpec', 'What is asked.', { keep: true }),
      status: field(3, 'TokenRequestStatus', 'The answer, filled by the server.'),
    }),
    TokenRequestSpec: message('Which token is wanted.', {
      audiences: field(1, '[]string', 'Who is to accept the token; empty for the API server.', {
        keep: true,
        list: 'atomic',
      }),
      expirationSeconds: field(4, '*int64', 'Wanted lifetime in seconds; the answer may differ; default 3600.', {
        keep: true,
        default: 3600,
      }),
      boundObjectRef: field(3, '*BoundObjectReference', 'Object with whose end the token ends.', { keep: true }),
    }),
    TokenRequestStatus: message('The token.', {
      token: field(1, 'string', 'The token itself.', { keep: true }),
      expirationTimestamp: field(2, 'Time', 'When the token expires.', { keep: true }),
    }),
    TokenReview: object('Asks whether a token is valid and whose it is.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'TokenReviewSpec', 'What is asked.', { required: true, keep: true }),
      status: field(3, 'TokenReviewStatus', 'The answer, filled by the server.'),
    }),
    TokenReviewSpec: message('The token in question.', {
      token: field(1, 'string', 'The token.', { required: true }),
      audiences: field(2, '[]string', 'Audiences of the asker; default that of the API server.', { list: 'atomic' }),
    }),
    TokenReviewStatus: message('Whose token it is.', {
      authenticated: field(1, 'bool', 'Whether the token is valid.'),
      user: field(2, 'UserInfo', 'Who the token belongs to.'),
      audiences: field(4, '[]string', 'Audiences that both the token and the asker have.', { list: 'atomic' }),
      error: field(3, 'string', 'Why the token could not be checked.'),
    }),
    UserInfo: message('A user, as authentication finds it.', {
      username: field(1, 'string', 'Name of the user.'),
      uid: field(2, 'string', 'Unique ID of the user.'),
      groups: field(3, '[]string', 'Groups of the user.', { list: 'atomic' }),
      extra: field(4, 'map[string]ExtraValue', 'Further information from the authenticator.'),
    }),
  },
  kinds: [
    {
      kind: 'SelfSubjectReview',
      plural: 'selfsubjectreviews',
      namespaced: false,
      verbs: ['create'],
    },
    {
      kind: 'TokenReview',
      plural: 'tokenreviews',
      namespaced: false,
      verbs: ['create'],
    },
  ],
};
