/** Converts the flags of kube-apiserver to server options. */
import fs from 'node:fs/promises';
import { BINARY_MINOR, KUBERNETES_VERSION, type EffectiveVersion } from '../../api/kubernetes-version.ts';
import { errorMessage } from '../../base/index.ts';
import { gateFlags, tlsSettings } from '../../component-server/index.ts';
import { flagTexts, type ParsedFlags, UsageError } from '../../flags/index.ts';
import type { Context } from '../../kernel/index.ts';
import { machineAddresses } from '../../net/interfaces/index.ts';
import { tracingConfigurationFrom, type TracingConfiguration } from '../../otlp/index.ts';
import { loadAdmissionConfiguration } from '../admission/configuration.ts';
import { openEncryption, type OpenEncryption } from '../encryption/index.ts';
import type { ApiServerOptions } from '../server.ts';
import { etcdPrefix, openStore } from '../storage/open-store.ts';
import type { StorageMediaType } from '../storage/storage-media-type.ts';
import { auditBackendOptions } from './audit-flags.ts';
import type { apiServerFlags, ApiServerFlagValues } from './flags.ts';
import { loadSecurityOptions, type OidcFlags, type SecurityFiles } from './security-options.ts';
import { servedVersions, type EmulationOptions } from './served-versions.ts';
import { serverKeys, type FollowedKeys } from './server-keys.ts';
import { checkServingFlags } from './serving-options.ts';

/** The default of Go's HTTP/2 server. */
const GO_MAX_STREAMS = 250;

export type ParsedApiServerFlags = ParsedFlags<typeof apiServerFlags>;

/** Validates flags without reading files. */
export function checkApiServerFlags({ values }: ParsedApiServerFlags): void {
  if (!values['etcd-servers']?.length) throw new UsageError('--etcd-servers must be specified');
  if (!/^\d+-\d+$/.test(values['service-node-port-range']))
    throw new UsageError('--service-node-port-range must be two ports with a dash between');
  checkServingFlags(values);
  if (values['audit-log-path']) auditBackendOptions(values, 'log');
  if (values['audit-webhook-config-file']) auditBackendOptions(values, 'webhook');
  servedVersions(values['runtime-config'] ?? {}, emulationOptions(values, gateFlags(values).effectiveVersion));
  checkReportedVersion(values.version);
}

function emulationOptions(values: ApiServerFlagValues, { emulation }: EffectiveVersion): EmulationOptions {
  const forwardCompatible = values['emulation-forward-compatible'];
  const runtimeConfigForwardCompatible = values['runtime-config-emulation-forward-compatible'];
  if (emulation === BINARY_MINOR && (forwardCompatible || runtimeConfigForwardCompatible)) {
    const option = forwardCompatible ? 'EmulationForwardCompatible' : 'RuntimeConfigEmulationForwardCompatible';
    const problem = 'cannot be set to true if the emulation version is the same as the binary version';
    throw new UsageError(`ServerRunOptions.${option} ${problem}`);
  }
  return { emulation, forwardCompatible, runtimeConfigForwardCompatible };
}

/** Opens the store; the caller must close it. */
export async function apiServerOptions(
  ctx: Context,
  { values, given }: ParsedApiServerFlags,
): Promise<ApiServerOptions & { readonly onKeysChange: FollowedKeys['onChange'] }> {
  const advertiseAddress = values['advertise-address'] ?? defaultAdvertiseAddress(values['bind-address']);
  const serving = {
    dnsNames: [
      'localhost',
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
    ],
    addresses: [...new Set(['127.0.0.1', '::1', advertiseAddress])],
  };
  const [followed, security, admission, encryption, kubeletCa, tracing] = await Promise.all([
    serverKeys(ctx, values, serving),
    loadSecurityOptions(ctx, securityFiles(values, given)),
    admissionOptions(ctx, values),
    values['encryption-provider-config'] ? encryptionFrom(ctx, values) : undefined,
    values['kubelet-certificate-authority'] ? fs.readFile(values['kubelet-certificate-authority'], 'utf8') : undefined,
    values['tracing-config-file'] ? tracingFrom(values['tracing-config-file']) : undefined,
  ]);
  const { featureGates, effectiveVersion } = gateFlags(values);
  const servesVersion = servedVersions(values['runtime-config'] ?? {}, emulationOptions(values, effectiveVersion));
  const addressTypes = values['kubelet-preferred-address-types'];
  return {
    store: await openStore(ctx, {
      type: 'etcd',
      endpoints: values['etcd-servers'] ?? [],
      prefix: etcdPrefix(values['etcd-prefix']),
      ...(await etcdTls(values)),
    }),
    pki: followed.keys,
    onKeysChange: followed.onChange,
    flags: flagTexts(values),
    ...(tracing ? { tracing } : {}),
    ...security,
    admission,
    ...(encryption ? { encryption: encryption.transformer } : {}),
    flowControl: values['enable-priority-and-fairness']
      ? { serverSeats: values['max-requests-inflight'] + values['max-mutating-requests-inflight'] }
      : false,
    requestTimeoutMs: values['request-timeout'],
    minRequestTimeoutSeconds: values['min-request-timeout'],
    endpointReconciler: values['endpoint-reconciler-type'] === 'none' ? 'none' : 'lease',
    ...(values['kubernetes-service-node-port'] > 0
      ? { kubernetesServiceNodePort: values['kubernetes-service-node-port'] }
      : {}),
    host: values['bind-address'],
    ownThread: true,
    goawayChance: values['goaway-chance'],
    corsAllowedOrigins: values['cors-allowed-origins'] ?? [],
    strictTransportSecurity: values['strict-transport-security-directives'] ?? [],
    port: values['secure-port'],
    tlsSettings: tlsSettings(values),
    http2: {
      enabled: !values['disable-http2-serving'],
      maxStreams: values['http2-max-streams-per-connection'] || GO_MAX_STREAMS,
    },
    advertiseAddress,
    ...(values['external-hostname'] ? { externalHostname: values['external-hostname'] } : {}),
    serviceClusterIpRange: values['service-cluster-ip-range'],
    nodePortRange: values['service-node-port-range'],
    enableAggregatorRouting: values['enable-aggregator-routing'],
    storageMediaType: (values['storage-media-type'] || 'application/json') as StorageMediaType,
    compactionIntervalMs: values['etcd-compaction-interval'],
    eventTtlSeconds: values['event-ttl'] / 1000,
    featureGates,
    effectiveVersion,
    allowPrivileged: values['allow-privileged'],
    ...(servesVersion ? { servesVersion } : {}),
    ...(values.version?.startsWith('v') ? { gitVersion: values.version } : {}),
    kubelet: {
      ...(kubeletCa ? { ca: kubeletCa } : {}),
      ...(addressTypes?.length ? { preferredAddressTypes: addressTypes } : {}),
    },
  };
}

async function admissionOptions(
  ctx: Context,
  values: ApiServerFlagValues,
): Promise<NonNullable<ApiServerOptions['admission']>> {
  const file = values['admission-control-config-file'];
  return {
    ...(file ? await loadAdmissionConfiguration(ctx, file) : {}),
    enable: values['enable-admission-plugins'] ?? [],
    disable: values['disable-admission-plugins'] ?? [],
    defaultTolerationSeconds: {
      notReady: values['default-not-ready-toleration-seconds'],
      unreachable: values['default-unreachable-toleration-seconds'],
    },
  };
}

/** The file must exist: to generate a key would hide a typo in its name. */
async function encryptionFrom(ctx: Context, values: ApiServerFlagValues): Promise<OpenEncryption> {
  const file = values['encryption-provider-config'] ?? '';
  await fs.access(file);
  return openEncryption(ctx, file, etcdPrefix(values['etcd-prefix']));
}

async function etcdTls(values: ApiServerFlagValues): Promise<{ tls?: { ca?: Buffer; cert?: Buffer; key?: Buffer } }> {
  const files = { ca: values['etcd-cafile'], cert: values['etcd-certfile'], key: values['etcd-keyfile'] };
  const given = Object.entries(files).filter((entry): entry is [string, string] => !!entry[1]);
  if (given.length === 0) return {};
  return {
    tls: Object.fromEntries(
      await Promise.all(given.map(async ([name, file]) => [name, await fs.readFile(file)] as const)),
    ),
  };
}

/**
 * The default advertise address: the first external address of the machine if the server listens on all or on loopback
 * addresses. Endpoints may not be loopback addresses, so a machine without a network gets one of the documentation range.
 */
function defaultAdvertiseAddress(bindAddress: string): string {
  if (!['0.0.0.0', '::', '::1', 'localhost'].includes(bindAddress) && !bindAddress.startsWith('127.'))
    return bindAddress;
  return machineAddresses().find((address) => !address.includes(':')) ?? '192.0.2.1';
}

/** Removes undefined and empty fields, so that their defaults apply. */
function defined<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')) as T;
}

export function securityFiles(values: ApiServerFlagValues, given: ReadonlySet<string>): SecurityFiles {
  return defined<SecurityFiles>({
    tokenAuthFile: values['token-auth-file'],
    serviceAccountKeyFiles: values['service-account-key-file'],
    serviceAccountIssuers: values['service-account-issuer'],
    serviceAccountJwksUri: values['service-account-jwks-uri'],
    serviceAccountMaxTokenExpirationMs: values['service-account-max-token-expiration'],
    serviceAccountExtendTokenExpiration: values['service-account-extend-token-expiration'],
    apiAudiences: values['api-audiences'],
    enableBootstrapTokenAuth: values['enable-bootstrap-token-auth'],
    anonymousAuth: values['anonymous-auth'],
    requestHeaders: defined({
      allowedNames: values['requestheader-allowed-names'],
      usernameHeaders: values['requestheader-username-headers'],
      uidHeaders: values['requestheader-uid-headers'],
      groupHeaders: values['requestheader-group-headers'],
      extraHeaderPrefixes: values['requestheader-extra-headers-prefix'],
    }),
    authenticationConfig: values['authentication-config'],
    authenticationTokenWebhookConfigFile: values['authentication-token-webhook-config-file'],
    authenticationTokenWebhookCacheTtlMs: values['authentication-token-webhook-cache-ttl'],
    authenticationTokenWebhookVersion: values['authentication-token-webhook-version'] === 'v1' ? 'v1' : 'v1beta1',
    oidc: oidcFlags(values),
    // AlwaysAllow is upstream's default without --authorization-config.
    authorizationMode:
      given.has('authorization-mode') || values['authorization-config']
        ? values['authorization-mode']
        : ['AlwaysAllow'],
    authorizationConfig: values['authorization-config'],
    authorizationPolicyFile: values['authorization-policy-file'],
    authorizationWebhookConfigFile: values['authorization-webhook-config-file'],
    authorizationWebhookVersion: values['authorization-webhook-version'] === 'v1' ? 'v1' : 'v1beta1',
    authorizationWebhookCacheAuthorizedTtlMs: values['authorization-webhook-cache-authorized-ttl'],
    authorizationWebhookCacheUnauthorizedTtlMs: values['authorization-webhook-cache-unauthorized-ttl'],
    auditPolicyFile: values['audit-policy-file'],
    auditLogPath: values['audit-log-path'],
    auditLogMaxSize: values['audit-log-maxsize'],
    auditLogMaxBackup: values['audit-log-maxbackup'],
    auditLogMaxAge: values['audit-log-maxage'],
    auditLogCompress: values['audit-log-compress'],
    auditLogFormat: values['audit-log-format'],
    auditLogBackend: values['audit-log-path'] ? auditBackendOptions(values, 'log') : undefined,
    auditWebhookConfigFile: values['audit-webhook-config-file'],
    auditWebhookBackend: values['audit-webhook-config-file'] ? auditBackendOptions(values, 'webhook') : undefined,
    auditWebhookInitialBackoffMs: values['audit-webhook-initial-backoff'],
  });
}

function oidcFlags(values: ApiServerFlagValues): OidcFlags | undefined {
  const issuerUrl = values['oidc-issuer-url'];
  const clientId = values['oidc-client-id'];
  if (!issuerUrl && !clientId) return undefined;
  if (!issuerUrl || !clientId)
    throw new UsageError(
      '--oidc-issuer-url and --oidc-client-id must be specified together when any oidc-* flags are set',
    );
  return defined<OidcFlags>({
    issuerUrl,
    clientId,
    caFile: values['oidc-ca-file'],
    usernameClaim: values['oidc-username-claim'],
    usernamePrefix: values['oidc-username-prefix'],
    groupsClaim: values['oidc-groups-claim'],
    groupsPrefix: values['oidc-groups-prefix'],
    requiredClaims: values['oidc-required-claim'],
    signingAlgorithms: values['oidc-signing-algs'],
  });
}

function checkReportedVersion(version: string | undefined): void {
  if (!version?.startsWith('v') || version === KUBERNETES_VERSION || version.startsWith(`${KUBERNETES_VERSION}-`))
    return;
  const [given, own] = [JSON.stringify(version), JSON.stringify(KUBERNETES_VERSION)];
  const why = `version ${given} must match major/minor/patch of default version ${own}`;
  throw new UsageError(`invalid argument ${given} for "--version" flag: ${why}`);
}

async function tracingFrom(file: string): Promise<TracingConfiguration> {
  let text: string;
  try {
    text = await fs.readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`failed to read tracing config: ${errorMessage(error)}`);
  }
  try {
    return tracingConfigurationFrom(text);
  } catch (error) {
    throw new UsageError(`--tracing-config-file: ${errorMessage(error)}`);
  }
}
