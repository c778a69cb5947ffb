/** AuthorizationConfiguration: the chain of authorizers from --authorization-config. */
import { parse } from 'yaml';
import { parseDuration } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import { compileExpression, ReviewClient } from '../review-webhooks/index.ts';
import type { AuthorizerConfig } from './build.ts';
import { WebhookAuthorizer } from './webhook.ts';

interface WebhookConfig {
  readonly timeout?: string;
  readonly subjectAccessReviewVersion?: string;
  readonly matchConditionSubjectAccessReviewVersion?: string;
  readonly failurePolicy?: string;
  readonly authorizedTTL?: string;
  readonly unauthorizedTTL?: string;
  readonly connectionInfo?: { readonly type?: string; readonly kubeConfigFile?: string };
  readonly matchConditions?: readonly { readonly expression?: string }[];
}

interface Configuration {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly authorizers?: readonly {
    readonly type?: string;
    readonly name?: string;
    readonly webhook?: WebhookConfig;
  }[];
}

const VERSIONS = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `apiserver.config.k8s.io/${version}`);
const BUILT_IN = new Set(['Node', 'RBAC', 'AlwaysAllow', 'AlwaysDeny']);

/** `text` is YAML or JSON. Throws an error that names the wrong field. */
export async function authorizersFromConfiguration(ctx: Context, text: string): Promise<readonly AuthorizerConfig[]> {
  const configuration = parse(text) as Configuration;
  if (configuration.kind !== 'AuthorizationConfiguration' || !VERSIONS.includes(configuration.apiVersion ?? '')) {
    throw new Error(
      `expected an AuthorizationConfiguration of ${VERSIONS[0]}, got ${configuration.kind} of ${configuration.apiVersion}`,
    );
  }
  const { authorizers = [] } = configuration;
  if (authorizers.length === 0)
    throw new Error('authorizers: Required value: at least one authorization mode must be defined');
  const names = new Set<string>();
  return Promise.all(
    authorizers.map(async ({ type = '', name = '', webhook }, index): Promise<AuthorizerConfig> => {
      if (name === '') throw new Error(`authorizers[${index}].name: Required value`);
      if (names.has(name)) throw new Error(`authorizers[${index}].name: Duplicate value: "${name}"`);
      names.add(name);
      if (BUILT_IN.has(type)) return { type: type as 'Node' };
      if (type === 'Webhook')
        return { type: 'custom', authorizer: await webhookFrom(ctx, name, webhook, `authorizers[${index}].webhook`) };
      throw new Error(`authorizers[${index}].type: Unsupported value: "${type}"`);
    }),
  );
}

async function webhookFrom(
  ctx: Context,
  name: string,
  config: WebhookConfig | undefined,
  at: string,
): Promise<WebhookAuthorizer> {
  if (!config) throw new Error(`${at}: Required value: required when type=Webhook`);
  const { connectionInfo, failurePolicy, subjectAccessReviewVersion: version } = config;
  if (version !== 'v1' && version !== 'v1beta1')
    throw new Error(`${at}.subjectAccessReviewVersion: Unsupported value: "${version ?? ''}"`);
  if (failurePolicy !== 'NoOpinion' && failurePolicy !== 'Deny')
    throw new Error(`${at}.failurePolicy: Unsupported value: "${failurePolicy ?? ''}"`);
  if (connectionInfo?.type !== 'KubeConfigFile' || !connectionInfo.kubeConfigFile)
    throw new Error(`${at}.connectionInfo: only KubeConfigFile with a kubeConfigFile is supported`);
  if (!config.timeout) throw new Error(`${at}.timeout: Required value`);
  const client = await ReviewClient.fromKubeconfig(ctx, connectionInfo.kubeConfigFile, {
    timeoutMs: parseDuration(config.timeout),
    attempts: 1,
  });
  return new WebhookAuthorizer(ctx, {
    name,
    client,
    version,
    failurePolicy,
    ...(config.authorizedTTL ? { authorizedTtlMs: parseDuration(config.authorizedTTL) } : {}),
    ...(config.unauthorizedTTL ? { unauthorizedTtlMs: parseDuration(config.unauthorizedTTL) } : {}),
    matchConditions: (config.matchConditions ?? []).map(({ expression = '' }) =>
      compileExpression(expression, ['request']),
    ),
  });
}
