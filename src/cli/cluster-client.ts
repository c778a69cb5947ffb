/** A client of the cluster that a command asks: the one of a kubeconfig, the one that runs here, or kubectl's. */
import fs from 'node:fs';
import { connect, loadKubeconfig, type Client, type ClientConfig } from '../client/index.ts';
import type { FlagTable } from '../flags/index.ts';
import type { Context, ContextOptions } from '../kernel/index.ts';
import { checkCertificate } from './check-kubeconfig.ts';
import { CommandError, dataDirFlag } from './command.ts';
import { runningCluster, type RunningCluster } from './control-client.ts';
import { untilSignal } from './until-signal.ts';

export const clusterClientFlags = {
  namespace: { kind: 'text', shorthand: 'n', summary: "The object's namespace (default: the kubeconfig's)" },
  kubeconfig: {
    kind: 'text',
    summary: 'The cluster and user to ask (default: the cluster here, then as kubectl does)',
  },
  ...dataDirFlag,
} as const satisfies FlagTable;

interface ParsedClusterFlags {
  readonly values: { readonly kubeconfig?: string; readonly namespace?: string; readonly 'data-dir': string };
  readonly given: ReadonlySet<string>;
}

export interface ClusterClient {
  readonly ctx: Context;
  readonly client: Client;
  readonly config: ClientConfig;
  readonly namespace: string;
  /** The cluster of ours that runs here, where no kubeconfig names another. */
  readonly here: RunningCluster | undefined;
}

/** Runs `work` with a client, and closes it. */
export async function withClusterClient<T>(
  parsed: ParsedClusterFlags,
  options: Omit<ContextOptions, 'signal'>,
  work: (cluster: ClusterClient) => Promise<T>,
): Promise<T> {
  const { values } = parsed;
  const here = values.kubeconfig === undefined ? clusterHere(parsed) : undefined;
  const kubeconfig = values.kubeconfig ?? (await here?.call<{ kubeconfig?: string }>('GET', '/status'))?.kubeconfig;
  const { ctx, release } = untilSignal(options);
  try {
    if (kubeconfig !== undefined && !fs.existsSync(kubeconfig))
      throw new CommandError(`there is no file ${kubeconfig}`);
    const config = await loadKubeconfig({
      clock: ctx.clock,
      ...(kubeconfig === undefined ? {} : { file: kubeconfig }),
    });
    await checkCertificate(config, ctx.clock.now(), kubeconfig ?? 'the kubeconfig');
    const client = connect(ctx, config);
    try {
      return await work({ ctx, client, config, here, namespace: values.namespace ?? config.namespace ?? 'default' });
    } finally {
      await client.close();
    }
  } finally {
    release();
  }
}

/** undefined where no cluster of ours runs. */
function clusterHere(parsed: ParsedClusterFlags): RunningCluster | undefined {
  try {
    return runningCluster(parsed);
  } catch (error) {
    if (parsed.given.has('data-dir')) throw error;
    return undefined;
  }
}
