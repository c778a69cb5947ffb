/** `k8ts console`: serves the web console of any cluster. */
import { flagsHelp, type FlagTable, parseFlags, UsageError } from '../flags/index.ts';
import { clusterClientFlags, withClusterClient } from './cluster-client.ts';
import { outputFlag } from './command.ts';
import { startConsole } from './start-console.ts';
import { decisionOf } from './why.ts';

const { kubeconfig, 'data-dir': dataDir } = clusterClientFlags;

export const flags = {
  kubeconfig,
  'data-dir': dataDir,
  port: { kind: 'whole', default: 0, summary: 'Port of the console on 127.0.0.1; 0 selects a free one' },
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
  return withClusterClient(parsed, { name: 'console' }, async ({ ctx, config, here }) => {
    const server = await startConsole(ctx, {
      config,
      port: values.port,
      ...(here
        ? {
            schedulingDecision: (pod) => decisionOf(here, pod),
            wouldFit: (pod) => here.call<object>('POST', '/fit', { pod }),
          }
        : {}),
    });
    const link = server.createLink();
    console.log(
      values.output === 'json' ? JSON.stringify({ console: link, server: config.server }) : `console      ${link}`,
    );
    await server.finished;
    return 0;
  });
}
