/** The kube-apiserver command, with upstream's flags. */
import { flagsHelp, parseFlags } from '../../flags/index.ts';
import { type Context, RunGroup } from '../../kernel/index.ts';
import { startApiServer, type ApiServer, type ApiServerOptions } from '../server.ts';
import { featureGates } from './feature-gates.ts';
import { apiServerFlags } from './flags.ts';
import { apiServerOptions, checkApiServerFlags, type ParsedApiServerFlags } from './options.ts';
import { servedVersions } from './served-versions.ts';

export const apiServerHelp = (): string =>
  flagsHelp(apiServerFlags, { usage: 'kube-apiserver: serves the Kubernetes API from an etcd' });

/** Throws a UsageError for invalid and unsupported flags. */
export function parseApiServerFlags(argv: readonly string[]): ParsedApiServerFlags {
  const parsed = parseFlags(argv, apiServerFlags);
  if (!parsed.help) checkApiServerFlags(parsed);
  return parsed;
}

/** What --runtime-config and --feature-gates ask for. Throws a UsageError for what is not known. */
export function servedApis(
  runtimeConfig: Readonly<Record<string, string>>,
  gates: Readonly<Record<string, string>>,
): Pick<ApiServerOptions, 'servesVersion' | 'featureGates'> {
  const servesVersion = servedVersions(runtimeConfig);
  return { featureGates: featureGates(gates), ...(servesVersion ? { servesVersion } : {}) };
}

/** Runs until the context ends. */
export async function runApiServerCommand(
  ctx: Context,
  parsed: ParsedApiServerFlags,
  onReady?: (server: ApiServer) => void,
): Promise<void> {
  for (const warning of parsed.warnings) ctx.logger.warn(warning);
  // The group ends file watchers and webhook clients with the server.
  const group = new RunGroup(ctx);
  const inner: Context = { ...ctx, signal: group.signal };
  try {
    const options = await apiServerOptions(inner, parsed);
    try {
      const server = await startApiServer(inner, options);
      ctx.logger.info('Serving securely', { address: options.host, port: server.port });
      onReady?.(server);
      await server.finished;
    } finally {
      await options.store.close();
    }
  } finally {
    await group.close();
  }
}
