/** The kube-apiserver command, with upstream's flags. */
import { gateFlags } from '../../component-server/index.ts';
import { flagsHelp, parseFlags } from '../../flags/index.ts';
import { type Context, RunGroup } from '../../kernel/index.ts';
import { startApiServer, type ApiServer, type ApiServerOptions } from '../server.ts';
import { apiServerFlags } from './flags.ts';
import { apiServerOptions, checkApiServerFlags, type ParsedApiServerFlags } from './options.ts';
import { servedVersions } from './served-versions.ts';
import { ServingTime } from './serving-time.ts';

export const apiServerHelp = (): string =>
  flagsHelp(apiServerFlags, { usage: 'kube-apiserver: serves the Kubernetes API from an etcd' });

/** Throws a UsageError for invalid and unsupported flags. */
export function parseApiServerFlags(argv: readonly string[]): ParsedApiServerFlags {
  const parsed = parseFlags(argv, apiServerFlags);
  if (!parsed.help) checkApiServerFlags(parsed);
  return parsed;
}

/** What --runtime-config, --feature-gates and --emulated-version ask for. Throws a UsageError for what is not known. */
export function servedApis(
  runtimeConfig: Readonly<Record<string, string>>,
  gates: Readonly<Record<string, string>>,
  emulatedVersion?: string,
): Pick<ApiServerOptions, 'servesVersion' | 'featureGates' | 'effectiveVersion'> {
  const { featureGates, effectiveVersion } = gateFlags({
    'feature-gates': gates,
    'emulated-version': emulatedVersion === undefined ? [] : [emulatedVersion],
  });
  const servesVersion = servedVersions(runtimeConfig, effectiveVersion);
  return { featureGates, effectiveVersion, ...(servesVersion ? { servesVersion } : {}) };
}

/** Runs until the context ends. */
export async function runApiServerCommand(
  ctx: Context,
  parsed: ParsedApiServerFlags,
  onReady?: (server: ApiServer) => void,
): Promise<void> {
  for (const warning of parsed.warnings) ctx.logger.warn(warning);
  for (const name of gateFlags(parsed.values).withoutEffect)
    ctx.logger.warn('The feature gate has no effect in this component', { name });
  const { values } = parsed;
  const serving = new ServingTime(ctx, {
    delayMs: values['shutdown-delay-duration'],
    sendRetryAfter: values['shutdown-send-retry-after'],
    drainMs: values['request-timeout'],
  });
  // The group ends file watchers and webhook clients with the server.
  const group = new RunGroup(serving);
  const inner: Context = { ...ctx, signal: group.signal };
  try {
    const options = await apiServerOptions(inner, parsed);
    try {
      const server = await startApiServer(inner, { ...options, inFlight: serving.inFlight, stopping: ctx.signal });
      options.onKeysChange((renewed) => server.renewKeys(renewed));
      serving.begin(server);
      ctx.logger.info('Serving securely', { address: options.host, port: server.port });
      onReady?.(server);
      await server.finished;
    } finally {
      await options.store.close();
    }
  } finally {
    serving.end();
    await group.close();
  }
}
