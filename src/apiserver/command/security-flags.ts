/** The authentication, authorization, admission and audit flags of kube-apiserver. */
import type { FlagTable } from '../../flags/index.ts';

export const authenticationFlags = {
  'client-ca-file': { kind: 'text', section: 'Authentication', summary: 'CA bundle that verifies client certificates' },
  'token-auth-file': {
    kind: 'text',
    section: 'Authentication',
    summary: 'File with static tokens: token,user,uid,"group1,group2"',
  },
  'anonymous-auth': {
    kind: 'switch',
    section: 'Authentication',
    summary: 'Allow anonymous requests as system:anonymous (default true)',
  },
  'enable-bootstrap-token-auth': {
    kind: 'switch',
    default: false,
    section: 'Authentication',
    summary: 'Accept bootstrap tokens from Secrets in kube-system',
  },
  'api-audiences': {
    kind: 'texts',
    section: 'Authentication',
    summary: 'Audiences of the API server; default: the ServiceAccount issuer',
  },
  'service-account-issuer': {
    kind: 'repeated',
    section: 'Authentication',
    summary: 'Issuer of ServiceAccount tokens; tokens of further issuers are accepted',
  },
  'service-account-key-file': {
    kind: 'repeated',
    section: 'Authentication',
    summary: 'Public keys that verify ServiceAccount tokens',
  },
  'service-account-signing-key-file': {
    kind: 'text',
    section: 'Authentication',
    summary: 'Private key that signs ServiceAccount tokens',
  },
  'service-account-jwks-uri': {
    kind: 'text',
    section: 'Authentication',
    summary: 'JWKS URI in the discovery document of the ServiceAccount issuer',
  },
  'service-account-max-token-expiration': {
    kind: 'duration',
    default: 0,
    section: 'Authentication',
    summary: 'Maximum lifetime of a ServiceAccount token; 0: no maximum',
  },
  'service-account-extend-token-expiration': {
    kind: 'switch',
    default: true,
    section: 'Authentication',
    summary: 'Extend projected ServiceAccount tokens to a year, with an audit annotation for stale ones',
  },
  'service-account-lookup': { kind: 'switch', only: ['true'], refused: 'tokens of deleted objects are never accepted' },
  'service-account-signing-endpoint': { kind: 'text', refused: 'the server signs tokens with its own key' },
  'authentication-config': {
    kind: 'text',
    section: 'Authentication',
    summary: 'AuthenticationConfiguration file: JWT authenticators, anonymous requests',
  },
  'authentication-token-webhook-config-file': {
    kind: 'text',
    section: 'Authentication',
    summary: 'Kubeconfig of the token authentication webhook',
  },
  'authentication-token-webhook-cache-ttl': {
    kind: 'duration',
    default: 120_000,
    section: 'Authentication',
    summary: 'How long to cache responses of the token authentication webhook',
  },
  'authentication-token-webhook-version': {
    kind: 'text',
    default: 'v1beta1',
    only: ['v1', 'v1beta1'],
    section: 'Authentication',
    summary: 'TokenReview version',
  },
  'oidc-issuer-url': { kind: 'text', section: 'Authentication', summary: 'URL of the OpenID issuer' },
  'oidc-client-id': {
    kind: 'text',
    section: 'Authentication',
    summary: 'Client ID that OIDC tokens must be issued for',
  },
  'oidc-ca-file': {
    kind: 'text',
    section: 'Authentication',
    summary: "CA bundle that verifies the OIDC issuer's certificate",
  },
  'oidc-username-claim': {
    kind: 'text',
    default: 'sub',
    section: 'Authentication',
    summary: 'Claim with the user name',
  },
  'oidc-username-prefix': {
    kind: 'text',
    section: 'Authentication',
    summary: 'Prefix of user names; - for none',
  },
  'oidc-groups-claim': { kind: 'text', section: 'Authentication', summary: 'Claim with the groups' },
  'oidc-groups-prefix': { kind: 'text', section: 'Authentication', summary: 'Prefix of groups' },
  'oidc-required-claim': {
    kind: 'pairs',
    section: 'Authentication',
    summary: 'Claims that tokens must have, as key=value',
  },
  'oidc-signing-algs': {
    kind: 'texts',
    default: ['RS256'],
    section: 'Authentication',
    summary: 'Accepted signature algorithms',
  },
  'requestheader-client-ca-file': {
    kind: 'text',
    section: 'Authentication',
    summary: 'CA bundle that verifies client certificates of front proxies',
  },
  'requestheader-allowed-names': {
    kind: 'texts',
    section: 'Authentication',
    summary: 'Common names of front proxies; empty: any',
  },
  'requestheader-username-headers': { kind: 'texts', section: 'Authentication', summary: 'Headers with the user name' },
  'requestheader-uid-headers': { kind: 'texts', section: 'Authentication', summary: 'Headers with the UID' },
  'requestheader-group-headers': { kind: 'texts', section: 'Authentication', summary: 'Headers with the groups' },
  'requestheader-extra-headers-prefix': {
    kind: 'texts',
    section: 'Authentication',
    summary: 'Prefixes of headers with extra fields of the user',
  },
} as const satisfies FlagTable;

export const authorizationFlags = {
  'authorization-mode': {
    kind: 'texts',
    section: 'Authorization',
    summary: 'Authorizers in order: Node, RBAC, ABAC, Webhook, AlwaysAllow, AlwaysDeny (default AlwaysAllow)',
  },
  'authorization-config': { kind: 'text', section: 'Authorization', summary: 'AuthorizationConfiguration file' },
  'authorization-policy-file': {
    kind: 'text',
    section: 'Authorization',
    summary: 'ABAC policy file, one JSON object per line',
  },
  'authorization-webhook-config-file': {
    kind: 'text',
    section: 'Authorization',
    summary: 'Kubeconfig of the authorization webhook',
  },
  'authorization-webhook-cache-authorized-ttl': {
    kind: 'duration',
    default: 300_000,
    section: 'Authorization',
    summary: 'How long to cache decisions of the authorization webhook that allow',
  },
  'authorization-webhook-cache-unauthorized-ttl': {
    kind: 'duration',
    default: 30_000,
    section: 'Authorization',
    summary: 'How long to cache decisions of the authorization webhook that deny',
  },
  'authorization-webhook-version': {
    kind: 'text',
    default: 'v1beta1',
    only: ['v1', 'v1beta1'],
    section: 'Authorization',
    summary: 'SubjectAccessReview version',
  },
} as const satisfies FlagTable;

export const admissionFlags = {
  'enable-admission-plugins': {
    kind: 'texts',
    section: 'Admission',
    summary: 'Admission plugins to enable besides the default ones',
  },
  'disable-admission-plugins': {
    kind: 'texts',
    section: 'Admission',
    summary: 'Default admission plugins to disable',
  },
  'admission-control': {
    kind: 'texts',
    refused: 'replaced by --enable-admission-plugins and --disable-admission-plugins',
  },
  'admission-control-config-file': { kind: 'text', section: 'Admission', summary: 'AdmissionConfiguration file' },
  'default-not-ready-toleration-seconds': {
    kind: 'whole',
    default: 300,
    section: 'Admission',
    summary: 'Default tolerationSeconds of pods for not-ready nodes',
  },
  'default-unreachable-toleration-seconds': {
    kind: 'whole',
    default: 300,
    section: 'Admission',
    summary: 'Default tolerationSeconds of pods for unreachable nodes',
  },
} as const satisfies FlagTable;
