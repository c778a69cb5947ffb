/** Loads the files that the security flags name, and builds the authentication, authorization and audit options. */
import fs from 'node:fs/promises';
import type { Context } from '../../kernel/index.ts';
import {
  AuditLogFile,
  AuditWebhook,
  BatchBackend,
  BlockingBackend,
  loadAuditPolicy,
  LOG_BATCHES,
  PolicyAudit,
  TruncatingBackend,
  WEBHOOK_BATCHES,
  type AuditBackend,
  type AuditSink,
} from '../audit/index.ts';
import type { TokenAuthenticator } from '../authn/authenticator.ts';
import type { AuthenticationOptions } from '../authn/build.ts';
import { OidcTokens } from '../authn/oidc/oidc-tokens.ts';
import { WebhookTokens } from '../authn/webhook-tokens.ts';
import { AbacAuthorizer } from '../authz/abac.ts';
import type { AuthorizerConfig, AuthorizerConfigs } from '../authz/build.ts';
import { WebhookAuthorizer } from '../authz/webhook.ts';
import type { PipelineOptions } from '../pipeline/build-pipeline.ts';
import { ReviewClient } from '../review-webhooks/index.ts';
import type { AuditBackendOptions } from './audit-flags.ts';
import { followAuthentication, followAuthorization, FollowedTokens } from './followed-configuration.ts';

/** The values of the security flags, under the names of the flags. */
export interface SecurityFiles {
  readonly tokenAuthFile?: string;
  readonly serviceAccountKeyFiles?: readonly string[];
  /** The first issuer signs; tokens of the others are accepted. */
  readonly serviceAccountIssuers?: readonly string[];
  readonly serviceAccountJwksUri?: string;
  readonly serviceAccountMaxTokenExpirationMs?: number;
  readonly serviceAccountExtendTokenExpiration?: boolean;
  readonly requestHeaders?: AuthenticationOptions['requestHeaders'];
  readonly apiAudiences?: readonly string[];
  readonly enableBootstrapTokenAuth?: boolean;
  readonly anonymousAuth?: boolean;
  readonly authenticationConfig?: string;
  readonly authenticationTokenWebhookConfigFile?: string;
  readonly authenticationTokenWebhookCacheTtlMs?: number;
  readonly authenticationTokenWebhookVersion?: 'v1' | 'v1beta1';
  readonly oidc?: OidcFlags;
  readonly authorizationMode?: readonly string[];
  readonly authorizationConfig?: string;
  readonly authorizationPolicyFile?: string;
  readonly authorizationWebhookConfigFile?: string;
  readonly authorizationWebhookVersion?: 'v1' | 'v1beta1';
  readonly authorizationWebhookCacheAuthorizedTtlMs?: number;
  readonly authorizationWebhookCacheUnauthorizedTtlMs?: number;
  readonly auditPolicyFile?: string;
  readonly auditLogPath?: string;
  readonly auditLogMaxSize?: number;
  readonly auditLogMaxBackup?: number;
  readonly auditLogMaxAge?: number;
  readonly auditWebhookConfigFile?: string;
  readonly auditLogCompress?: boolean;
  readonly auditLogFormat?: string;
  readonly auditLogBackend?: AuditBackendOptions;
  readonly auditWebhookBackend?: AuditBackendOptions;
  readonly auditWebhookInitialBackoffMs?: number;
}

export interface OidcFlags {
  readonly issuerUrl: string;
  readonly clientId: string;
  readonly caFile?: string;
  readonly usernameClaim?: string;
  /** `-` for none. The default is the issuer, and none for the claim `email`. */
  readonly usernamePrefix?: string;
  readonly groupsClaim?: string;
  readonly groupsPrefix?: string;
  readonly requiredClaims?: Readonly<Record<string, string>>;
  readonly signingAlgorithms?: readonly string[];
}

type SecurityOptions = Pick<PipelineOptions, 'authentication' | 'authorization' | 'audit'>;

/** Throws an error that names the wrong file or flag. */
export async function loadSecurityOptions(ctx: Context, files: SecurityFiles): Promise<SecurityOptions> {
  if (files.authenticationConfig && files.oidc)
    throw new Error('authentication-config and oidc-* cannot be used together');
  if (files.authorizationConfig && files.authorizationMode)
    throw new Error('authorization-config and authorization-mode cannot be used together');
  const [authentication, authorization, audit] = await Promise.all([
    loadAuthentication(ctx, files),
    loadAuthorization(ctx, files),
    loadAudit(ctx, files),
  ]);
  return { authentication, ...(authorization ? { authorization } : {}), ...(audit ? { audit } : {}) };
}

const read = (file: string): Promise<string> => fs.readFile(file, 'utf8');

async function loadAuthentication(
  ctx: Context,
  files: SecurityFiles,
): Promise<NonNullable<PipelineOptions['authentication']>> {
  const configured = files.authenticationConfig
    ? await followAuthentication(ctx, files.authenticationConfig)
    : undefined;
  const tokenAuthenticators: TokenAuthenticator[] = configured
    ? [new FollowedTokens(() => configured.value.tokenAuthenticators ?? [])]
    : [];
  if (files.oidc) tokenAuthenticators.push(await oidcFromFlags(ctx, files.oidc));
  if (files.authenticationTokenWebhookConfigFile) {
    const client = await ReviewClient.fromKubeconfig(ctx, files.authenticationTokenWebhookConfigFile);
    const { authenticationTokenWebhookCacheTtlMs: cacheTtlMs, authenticationTokenWebhookVersion: version } = files;
    tokenAuthenticators.push(
      new WebhookTokens(ctx, {
        client,
        ...(cacheTtlMs === undefined ? {} : { cacheTtlMs }),
        ...(version ? { version } : {}),
      }),
    );
  }
  const [issuer, ...otherIssuers] = files.serviceAccountIssuers ?? [];
  const anonymous =
    configured?.value.anonymous ??
    (files.authorizationMode?.includes('AlwaysAllow')
      ? refusedAnonymous(ctx, files)
      : files.anonymousAuth === undefined
        ? undefined
        : { enabled: files.anonymousAuth });
  return {
    tokenAuthenticators,
    ...(anonymous ? { anonymous } : {}),
    ...(files.tokenAuthFile ? { tokenFile: await read(files.tokenAuthFile) } : {}),
    ...(files.serviceAccountKeyFiles
      ? { serviceAccountKeys: (await Promise.all(files.serviceAccountKeyFiles.map(read))).flatMap(pemBlocks) }
      : {}),
    ...(issuer === undefined ? {} : { issuer, otherIssuers }),
    ...(files.serviceAccountJwksUri ? { jwksUri: files.serviceAccountJwksUri } : {}),
    ...(files.serviceAccountMaxTokenExpirationMs
      ? { maxExpirationSeconds: files.serviceAccountMaxTokenExpirationMs / 1000 }
      : {}),
    ...(files.serviceAccountExtendTokenExpiration === undefined
      ? {}
      : { extendExpiration: files.serviceAccountExtendTokenExpiration }),
    ...(files.requestHeaders ? { requestHeaders: files.requestHeaders } : {}),
    ...(files.apiAudiences ? { apiAudiences: files.apiAudiences } : {}),
    ...(files.enableBootstrapTokenAuth ? { bootstrapTokens: true } : {}),
  };
}

/** A file may contain several keys. */
const pemBlocks = (text: string): string[] => text.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----\n?/g) ?? [text];

async function oidcFromFlags(ctx: Context, flags: OidcFlags): Promise<OidcTokens> {
  const claim = flags.usernameClaim ?? 'sub';
  const prefix = flags.usernamePrefix ?? (claim === 'email' ? '-' : `${flags.issuerUrl}#`);
  return new OidcTokens(ctx, {
    issuer: flags.issuerUrl,
    audiences: [flags.clientId],
    ...(flags.caFile ? { ca: await read(flags.caFile) } : {}),
    ...(flags.signingAlgorithms ? { algorithms: flags.signingAlgorithms } : {}),
    mapping: {
      username: { claim, prefix: prefix === '-' ? '' : prefix },
      ...(flags.groupsClaim ? { groups: { claim: flags.groupsClaim, prefix: flags.groupsPrefix ?? '' } } : {}),
      validations: Object.entries(flags.requiredClaims ?? {}).map(([required, requiredValue]) => ({
        claim: required,
        requiredValue,
      })),
    },
  });
}

async function loadAuthorization(ctx: Context, files: SecurityFiles): Promise<AuthorizerConfigs | undefined> {
  if (files.authorizationConfig) return followAuthorization(ctx, files.authorizationConfig);
  if (!files.authorizationMode) return undefined;
  return Promise.all(
    files.authorizationMode.map(async (mode): Promise<AuthorizerConfig> => {
      switch (mode) {
        case 'Node':
        case 'RBAC':
        case 'AlwaysAllow':
        case 'AlwaysDeny':
          return { type: mode };
        case 'ABAC':
          if (!files.authorizationPolicyFile)
            throw new Error('authorization-mode ABAC needs an authorization-policy-file');
          return { type: 'custom', authorizer: new AbacAuthorizer(await read(files.authorizationPolicyFile)) };
        case 'Webhook': {
          if (!files.authorizationWebhookConfigFile)
            throw new Error('authorization-mode Webhook needs an authorization-webhook-config-file');
          const client = await ReviewClient.fromKubeconfig(ctx, files.authorizationWebhookConfigFile);
          const {
            authorizationWebhookVersion: version,
            authorizationWebhookCacheAuthorizedTtlMs: authorizedTtlMs,
            authorizationWebhookCacheUnauthorizedTtlMs: unauthorizedTtlMs,
          } = files;
          const settings = {
            ...(version ? { version } : {}),
            ...(authorizedTtlMs === undefined ? {} : { authorizedTtlMs }),
            ...(unauthorizedTtlMs === undefined ? {} : { unauthorizedTtlMs }),
          };
          return { type: 'custom', authorizer: new WebhookAuthorizer(ctx, { name: 'Webhook', client, ...settings }) };
        }
        default:
          throw new Error(`authorization-mode "${mode}" is not a valid mode`);
      }
    }),
  );
}

async function loadAudit(ctx: Context, files: SecurityFiles): Promise<PolicyAudit | undefined> {
  if (!files.auditPolicyFile) return undefined;
  const policy = loadAuditPolicy(await read(files.auditPolicyFile));
  const backends: AuditBackend[] = [];
  if (files.auditLogPath) {
    const { auditLogMaxSize: size, auditLogMaxBackup: backups, auditLogMaxAge: age } = files;
    const log = new AuditLogFile(ctx, {
      path: files.auditLogPath,
      ...(size === undefined ? {} : { maxSizeMegabytes: size }),
      ...(backups === undefined ? {} : { maxBackups: backups }),
      ...(age === undefined ? {} : { maxAgeDays: age }),
      compress: files.auditLogCompress === true,
      legacyFormat: files.auditLogFormat === 'legacy',
    });
    backends.push(auditBackend(ctx, log, files.auditLogBackend ?? { mode: 'blocking', batches: LOG_BATCHES }));
  }
  if (files.auditWebhookConfigFile) {
    // The last batch is sent during shutdown, so the server's signal must not cancel it.
    const uncancelled = { ...ctx, signal: new AbortController().signal };
    const client = await ReviewClient.fromKubeconfig(uncancelled, files.auditWebhookConfigFile, {
      retryBackoffMs: files.auditWebhookInitialBackoffMs ?? 10_000,
      retries: 'all',
    });
    const webhook = new AuditWebhook(client);
    const options = files.auditWebhookBackend ?? { mode: 'batch', batches: WEBHOOK_BATCHES };
    backends.push(auditBackend(uncancelled, webhook, options));
  }
  return new PolicyAudit(ctx, policy, backends);
}

function auditBackend(ctx: Context, sink: AuditSink, options: AuditBackendOptions): AuditBackend {
  const { mode, batches, maxEventSize } = options;
  const backend =
    mode === 'batch'
      ? new BatchBackend(ctx, sink, batches)
      : new BlockingBackend(ctx, sink, { strict: mode === 'blocking-strict' });
  return maxEventSize === undefined ? backend : new TruncatingBackend(ctx, backend, maxEventSize);
}

/** Everybody could do everything. */
function refusedAnonymous({ logger }: Context, { anonymousAuth }: SecurityFiles): { enabled: false } {
  if (anonymousAuth !== false)
    logger.info(
      'AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should use a different authorizer',
    );
  return { enabled: false };
}
