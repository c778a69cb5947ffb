/** `k8ts console`: serves the web console of any cluster. */
import fs from 'node:fs';
import { loadKubeconfig } from '../client/index.ts';
import { flagsHelp, type FlagTable, parseFlags, UsageError } from '../flags/index.ts';
import { checkCertificate } from './check-kubeconfig.ts';
import { CommandError, dataDirFlag, outputFlag } from './command.ts';
import { startConsole } from './start-console.ts';
import { untilSignal } from './until-signal.ts';
import { clusterHere, decisionOf } from './why.ts';

export const flags = {
  kubeconfig: {
    kind: 'text',
    summary: 'The cluster and user to act as (default: the cluster here, then as kubectl does)',
  },
  port: { kind: 'whole', default: 0, summary: 'Port of the console on 127.0.0.1; 0 selects a free one' },
  ...dataDirFlag,
  ...outputFlag,
} as const satisfies FlagTable;

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv, flags);
  const { values, help } = parsed;
  if (help) {
    console.log(flagsHelp(flags, { usage: 'k8ts console: serve the web console of a cluster' }));
    return 0;
  }
  if (values.port < 0 || values.port > 65_535)
    throw new UsageError(`invalid port ${values.port}: it must be 1 to 65535, or 0 for a free port`);
  const here = values.kubeconfig === undefined ? clusterHere(parsed) : undefined;
  const kubeconfig = values.kubeconfig ?? (await here?.call<{ kubeconfig?: string }>('GET', '/status'))?.kubeconfig;
  if (kubeconfig !== undefined && !fs.existsSync(kubeconfig)) throw new CommandError(`there is no file ${kubeconfig}`);
  const { ctx, release } = untilSignal({ name: 'console' });
  try {
    const config = await loadKubeconfig({
      clock: ctx.clock,
      ...(kubeconfig === undefined ? {} : { file: kubeconfig }),
    });
    await checkCertificate(config, ctx.clock.now(), kubeconfig ?? 'the kubeconfig');
    const server = await startConsole(ctx, {
      config,
      port: values.port,
      ...(here ? { schedulingDecision: (pod) => decisionOf(here, pod) } : {}),
    });
    const link = server.createLink();
    console.log(
      values.output === 'json' ? JSON.stringify({ console: link, server: config.server }) : `console      ${link}`,
    );
    await server.finished;
    return 0;
  } finally {
    release();
  }
}
