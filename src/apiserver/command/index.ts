/** The kube-apiserver command, with upstream's flags. */
import fs from 'node:fs/promises';
import os from 'node:os';
import { errorMessage } from '../../base/index.ts';
import { flagsHelp, parseFlags, UsageError } from '../../flags/index.ts';
import { type Context, RunGroup } from '../../kernel/index.ts';
import { exportSpans, tracingConfigurationFrom, type TracingConfiguration } from '../../otlp/index.ts';
import { serverIdentityName } from '../bootstrap/index.ts';
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
    const tracingFile = parsed.values['tracing-config-file'];
    if (tracingFile) {
      const tracing = await tracingFrom(tracingFile);
      group.start('span exporter', (signal) =>
        exportSpans({ ...ctx, signal }, tracing, {
          'service.name': 'apiserver',
          'service.instance.id': serverIdentityName(os.hostname()),
        }),
      );
    }
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
