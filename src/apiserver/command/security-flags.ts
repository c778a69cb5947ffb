/** Flags of kube-apiserver on who may do what, what is admitted, and what is told of it. */
import type { FlagTable } from '../../flags/index.ts';

const BATCHED = 'lines of one turn of the event loop are written together';

export const authenticationFlags = {
  'client-ca-file': { kind: 'text', section: 'Authentication', summary: 'Who signed the certificates of clients' },
  'token-auth-file': {
    kind: 'text',
    section: 'Authentication',
    summary: 'Static tokens: token,user,uid,"group1,group2"',
  },
  'anonymous-auth': {
    kind: 'switch',
    section: 'Authentication',
    summary: 'Whether requests without credentials are of system:anonymous (default true)',
  },
  'enable-bootstrap-token-auth': {
    kind: 'switch',
    default: false,
    section: 'Authentication',
    summary: 'Whether Secrets of kube-system may hold bootstrap tokens',
  },
  'api-audiences': {
    kind: 'texts',
    section: 'Authentication',
    summary: 'Whom tokens for this server are for; the issuer without it',
  },
  'service-account-issuer': {
    kind: 'repeated',
    section: 'Authentication',
    summary: 'Who issues ServiceAccount tokens; further ones are accepted',
  },
  'service-account-key-file': {
    kind: 'repeated',
    section: 'Authentication',
    summary: 'Public keys of ServiceAccount tokens',
  },
  'service-account-signing-key-file': {
    kind: 'text',
    section: 'Authentication',
    summary: 'Key that signs ServiceAccount tokens',
  },
  'service-account-jwks-uri': {
    kind: 'text',
    section: 'Authentication',
    summary: 'Where the discovery document says that the public keys are',
  },
  'service-account-max-token-expiration': {
    kind: 'duration',
    default: 0,
    section: 'Authentication',
    summary: 'The longest that a ServiceAccount token lives; 0: as asked',
  },
  'service-account-extend-token-expiration': {
    kind: 'switch',
    default: true,
    section: 'Authentication',
    summary: 'Whether projected tokens live on for a year, with a word in the audit log',
  },
  'service-account-lookup': { kind: 'switch', only: ['true'], refused: 'tokens of what is deleted are never accepted' },
  'service-account-signing-endpoint': { kind: 'text', refused: 'tokens are signed with a key of the server' },
  'authentication-config': {
    kind: 'text',
    section: 'Authentication',
    summary: 'AuthenticationConfiguration: JWT issuers, anonymous requests',
  },
  'authentication-token-webhook-config-file': {
    kind: 'text',
    section: 'Authentication',
    summary: 'Kubeconfig of a server that reviews tokens',
  },
  'authentication-token-webhook-cache-ttl': {
    kind: 'duration',
    default: 120_000,
    section: 'Authentication',
    summary: 'How long its answers are kept',
  },
  'authentication-token-webhook-version': {
    kind: 'text',
    default: 'v1beta1',
    only: ['v1', 'v1beta1'],
    section: 'Authentication',
    summary: 'Version of the reviews',
  },
  'oidc-issuer-url': { kind: 'text', section: 'Authentication', summary: 'OpenID issuer' },
  'oidc-client-id': { kind: 'text', section: 'Authentication', summary: 'The client that its tokens are for' },
  'oidc-ca-file': { kind: 'text', section: 'Authentication', summary: "Who signed the issuer's certificate" },
  'oidc-username-claim': {
    kind: 'text',
    default: 'sub',
    section: 'Authentication',
    summary: 'Claim that is the user name',
  },
  'oidc-username-prefix': {
    kind: 'text',
    section: 'Authentication',
    summary: 'What stands before the user name; - for nothing',
  },
  'oidc-groups-claim': { kind: 'text', section: 'Authentication', summary: 'Claim that is the groups' },
  'oidc-groups-prefix': { kind: 'text', section: 'Authentication', summary: 'What stands before the groups' },
  'oidc-required-claim': { kind: 'pairs', section: 'Authentication', summary: 'Claims that must have these values' },
  'oidc-signing-algs': {
    kind: 'texts',
    default: ['RS256'],
    section: 'Authentication',
    summary: 'Accepted signature algorithms',
  },
  'requestheader-client-ca-file': {
    kind: 'text',
    section: 'Authentication',
    summary: 'Who signed the certificates of front proxies',
  },
  'requestheader-allowed-names': {
    kind: 'texts',
    section: 'Authentication',
    summary: 'Common names of front proxies; any when empty',
  },
  'requestheader-username-headers': { kind: 'texts', section: 'Authentication', summary: 'Headers with the user name' },
  'requestheader-uid-headers': { kind: 'texts', section: 'Authentication', summary: 'Headers with the uid' },
  'requestheader-group-headers': { kind: 'texts', section: 'Authentication', summary: 'Headers with groups' },
  'requestheader-extra-headers-prefix': {
    kind: 'texts',
    section: 'Authentication',
    summary: 'Prefixes of headers with other facts',
  },
} as const satisfies FlagTable;

export const authorizationFlags = {
  'authorization-mode': {
    kind: 'texts',
    section: 'Authorization',
    summary: 'Who is asked, in order: Node, RBAC, ABAC, Webhook, AlwaysAllow, AlwaysDeny (default AlwaysAllow)',
  },
  'authorization-config': { kind: 'text', section: 'Authorization', summary: 'AuthorizationConfiguration' },
  'authorization-policy-file': {
    kind: 'text',
    section: 'Authorization',
    summary: 'Policy of ABAC, one line of JSON a rule',
  },
  'authorization-webhook-config-file': {
    kind: 'text',
    section: 'Authorization',
    summary: 'Kubeconfig of the server that Webhook asks',
  },
  'authorization-webhook-cache-authorized-ttl': {
    kind: 'duration',
    default: 300_000,
    section: 'Authorization',
    summary: 'How long its allowing answers are kept',
  },
  'authorization-webhook-cache-unauthorized-ttl': {
    kind: 'duration',
    default: 30_000,
    section: 'Authorization',
    summary: 'How long its denying answers are kept',
  },
  'authorization-webhook-version': {
    kind: 'text',
    default: 'v1beta1',
    only: ['v1', 'v1beta1'],
    section: 'Authorization',
    summary: 'Version of the reviews',
  },
} as const satisfies FlagTable;

export const admissionFlags = {
  'enable-admission-plugins': {
    kind: 'texts',
    section: 'Admission',
    summary: 'Plugins besides those that are on by default',
  },
  'disable-admission-plugins': {
    kind: 'texts',
    section: 'Admission',
    summary: 'Plugins that are off although they are on by default',
  },
  'admission-control': {
    kind: 'texts',
    refused: 'upstream has replaced it by --enable-admission-plugins and --disable-admission-plugins',
  },
  'admission-control-config-file': { kind: 'text', section: 'Admission', summary: 'AdmissionConfiguration of plugins' },
  'default-not-ready-toleration-seconds': {
    kind: 'whole',
    default: 300,
    section: 'Admission',
    summary: 'How long pods stay on nodes that are not ready',
  },
  'default-unreachable-toleration-seconds': {
    kind: 'whole',
    default: 300,
    section: 'Admission',
    summary: 'How long pods stay on nodes that are not reachable',
  },
} as const satisfies FlagTable;

export const auditFlags = {
  'audit-policy-file': { kind: 'text', section: 'Audit', summary: 'Policy: what is told of which requests' },
  'audit-log-path': { kind: 'text', section: 'Audit', summary: 'Log file; - for standard output' },
  'audit-log-maxsize': { kind: 'whole', section: 'Audit', summary: 'Megabytes at which the log is put aside' },
  'audit-log-maxbackup': { kind: 'whole', section: 'Audit', summary: 'How many old logs are kept; 0: all' },
  'audit-log-maxage': { kind: 'whole', section: 'Audit', summary: 'Days that old logs are kept; 0: for ever' },
  'audit-log-format': { kind: 'text', only: ['json'], refused: 'lines are JSON' },
  'audit-log-version': { kind: 'text', only: ['audit.k8s.io/v1'], refused: 'events are audit.k8s.io/v1' },
  'audit-log-compress': { kind: 'switch', only: ['false'], refused: 'old logs are not compressed' },
  'audit-log-mode': { kind: 'text', only: ['blocking', 'batch'], ignored: BATCHED },
  'audit-log-batch-buffer-size': { kind: 'whole', ignored: BATCHED },
  'audit-log-batch-max-size': { kind: 'whole', ignored: BATCHED },
  'audit-log-batch-max-wait': { kind: 'duration', ignored: BATCHED },
  'audit-log-batch-throttle-burst': { kind: 'whole', ignored: BATCHED },
  'audit-log-batch-throttle-enable': { kind: 'switch', ignored: BATCHED },
  'audit-log-batch-throttle-qps': { kind: 'number', ignored: BATCHED },
  'audit-log-truncate-enabled': { kind: 'switch', only: ['false'], refused: 'events are written whole' },
  'audit-log-truncate-max-batch-size': { kind: 'whole', ignored: 'events are written whole' },
  'audit-log-truncate-max-event-size': { kind: 'whole', ignored: 'events are written whole' },
  'audit-webhook-config-file': { kind: 'text', section: 'Audit', summary: 'Kubeconfig of a server that takes events' },
  'audit-webhook-batch-buffer-size': {
    kind: 'whole',
    section: 'Audit',
    summary: 'How many events wait for it at most (10000)',
  },
  'audit-webhook-batch-max-size': { kind: 'whole', section: 'Audit', summary: 'How many it gets at once (400)' },
  'audit-webhook-batch-max-wait': {
    kind: 'duration',
    section: 'Audit',
    summary: 'How long an event waits for others (30s)',
  },
  'audit-webhook-batch-throttle-burst': {
    kind: 'whole',
    section: 'Audit',
    summary: 'How many batches go at once (15)',
  },
  'audit-webhook-batch-throttle-qps': {
    kind: 'number',
    section: 'Audit',
    summary: 'How many batches go in a second (10)',
  },
  'audit-webhook-batch-throttle-enable': { kind: 'switch', only: ['true'], refused: 'batches are always throttled' },
  'audit-webhook-mode': { kind: 'text', only: ['batch'], refused: 'requests never wait for the audit' },
  'audit-webhook-version': { kind: 'text', only: ['audit.k8s.io/v1'], refused: 'events are audit.k8s.io/v1' },
  'audit-webhook-initial-backoff': {
    kind: 'duration',
    ignored: 'a batch that fails is tried again with a back-off of its own',
  },
  'audit-webhook-truncate-enabled': { kind: 'switch', only: ['false'], refused: 'events are sent whole' },
  'audit-webhook-truncate-max-batch-size': { kind: 'whole', ignored: 'events are sent whole' },
  'audit-webhook-truncate-max-event-size': { kind: 'whole', ignored: 'events are sent whole' },
} as const satisfies FlagTable;
