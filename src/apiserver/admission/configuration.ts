/** AdmissionConfiguration: reads the plugins' configurations from --admission-control-config-file. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { errorMessage, isRecord } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import { ReviewClient } from '../review-webhooks/index.ts';
import type { EventLimit } from './event-rate-limit.ts';
import type { ImagePolicyWebhookConfiguration } from './image-policy-webhook.ts';
import type { AdmissionOptions } from './plugins.ts';

type AdmissionSettings = Pick<
  AdmissionOptions,
  | 'podSecurity'
  | 'resourceQuota'
  | 'eventRateLimit'
  | 'podNodeSelector'
  | 'podTolerationRestriction'
  | 'imagePolicyWebhook'
>;

type Content = Readonly<Record<string, unknown>>;
type Load = (
  content: Content,
  from: { readonly ctx: Context; readonly directory: string },
) => AdmissionSettings | Promise<AdmissionSettings>;

/** Unknown fields are rejected here. The plugins check the values. */
const LOADERS: ReadonlyMap<string, Load> = new Map(
  Object.entries<Load>({
    PodSecurity: (content) => ({
      podSecurity: onlyFields(content, 'PodSecurityConfiguration', ['defaults', 'exemptions']),
    }),
    ResourceQuota: (content) => ({
      resourceQuota: onlyFields(content, 'ResourceQuotaConfiguration', ['limitedResources']),
    }),
    EventRateLimit: (content) => {
      const { limits } = onlyFields<{ limits?: readonly EventLimit[] }>(content, 'Configuration', ['limits']);
      return { eventRateLimit: { limits: limits ?? [] } };
    },
    PodTolerationRestriction: (content) => ({
      podTolerationRestriction: onlyFields(content, 'Configuration', ['default', 'whitelist']),
    }),
    PodNodeSelector: ({ podNodeSelectorPluginConfig: selectors }) => {
      if (!isRecord(selectors)) throw new Error('podNodeSelectorPluginConfig is missing');
      return {
        podNodeSelector: Object.fromEntries(
          Object.entries(selectors).map(([namespace, selector]) => [namespace, String(selector)]),
        ),
      };
    },
    ImagePolicyWebhook: async ({ imagePolicy }, { ctx, directory }) => {
      if (!isRecord(imagePolicy)) throw new Error('imagePolicy is missing');
      return { imagePolicyWebhook: await imagePolicyFrom(ctx, directory, imagePolicy) };
    },
  }),
);

/** `file` is YAML or JSON. Throws an error that names the wrong field. */
export async function loadAdmissionConfiguration(ctx: Context, file: string): Promise<AdmissionSettings> {
  const configuration = await readYaml(file);
  if (configuration['kind'] !== 'AdmissionConfiguration')
    throw new Error(`${file}: expected an AdmissionConfiguration, got ${String(configuration['kind'])}`);
  const plugins = configuration['plugins'] ?? [];
  if (!Array.isArray(plugins)) throw new Error(`${file}: plugins must be a list`);
  const directory = path.dirname(file);
  const settings = await Promise.all(
    plugins.map(async (plugin: unknown) => {
      if (!isRecord(plugin) || typeof plugin['name'] !== 'string')
        throw new Error(`${file}: every plugin needs a name`);
      const { name } = plugin;
      const load = LOADERS.get(name);
      if (!load) throw new Error(`${file}: the plugin ${JSON.stringify(name)} has no configuration`);
      const content = await contentOf(plugin, directory);
      if (!content) return {};
      try {
        return await load(content, { ctx, directory });
      } catch (error) {
        throw new Error(`${file}: ${name}: ${errorMessage(error)}`, {
          cause: error,
        });
      }
    }),
  );
  return Object.assign({}, ...settings) as AdmissionSettings;
}

async function contentOf(plugin: Content, directory: string): Promise<Content | undefined> {
  if (isRecord(plugin['configuration'])) return plugin['configuration'];
  if (typeof plugin['path'] !== 'string' || plugin['path'] === '') return undefined;
  return readYaml(path.resolve(directory, plugin['path']));
}

async function readYaml(file: string): Promise<Content> {
  const content: unknown = parse(await fs.readFile(file, 'utf8'));
  if (!isRecord(content)) throw new Error(`${file}: expected an object`);
  return content;
}

function onlyFields<T extends object>(content: Content, kind: string, fields: readonly string[]): T {
  if (content['kind'] !== kind) throw new Error(`expected a ${kind}, got ${String(content['kind'])}`);
  const unknown = Object.keys(content).find((field) => !['apiVersion', 'kind', ...fields].includes(field));
  if (unknown !== undefined) throw new Error(`unknown field ${JSON.stringify(unknown)}`);
  return Object.fromEntries(
    fields.filter((field) => content[field] !== undefined).map((field) => [field, content[field]]),
  ) as T;
}

async function imagePolicyFrom(
  ctx: Context,
  directory: string,
  policy: Content,
): Promise<ImagePolicyWebhookConfiguration> {
  const { kubeConfigFile, allowTTL, denyTTL, retryBackoff, defaultAllow } = policy;
  if (typeof kubeConfigFile !== 'string') throw new Error('imagePolicy.kubeConfigFile is missing');
  const client = await ReviewClient.fromKubeconfig(
    ctx,
    path.resolve(directory, kubeConfigFile),
    typeof retryBackoff === 'number' && retryBackoff > 0 ? { retryBackoffMs: retryBackoff } : {},
  );
  return { client, ...ttl('allowTtlMs', allowTTL), ...ttl('denyTtlMs', denyTTL), defaultAllow: defaultAllow === true };
}

/** In seconds: 0 is the default, a negative number turns caching off. */
function ttl(name: 'allowTtlMs' | 'denyTtlMs', seconds: unknown): Partial<ImagePolicyWebhookConfiguration> {
  return typeof seconds === 'number' && seconds !== 0 ? { [name]: Math.max(0, seconds * 1000) } : {};
}
