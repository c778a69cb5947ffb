/** `kube-scheduler` as a program of its own, with upstream's flags. */

import fs from 'node:fs/promises';
import os from 'node:os';
import { KUBERNETES_VERSION } from '../api/kubernetes-version.ts';
import {
  candidateVersions,
  connect,
  inClusterConfig,
  LeaderElectionCheck,
  loadKubeconfig,
  type Client,
  type ClientConfig,
} from '../client/index.ts';
import {
  DelegatedAccess,
  followClientCa,
  followServingFiles,
  gateFlags,
  registerComponentMetrics,
  selfSignedCertificate,
  serveComponent,
  tlsSettings,
} from '../component-server/index.ts';
import { flagsHelp, flagTexts, type ParsedFlags, parseFlags } from '../flags/index.ts';
import { type Context, RunGroup, TokenBucket } from '../kernel/index.ts';
import { schedulerFlags, type SchedulerFlagValues } from './command/flags.ts';
import { DEFAULT_CONFIG } from './config/defaults.ts';
import { configurationObject, formatConfiguration } from './config/format-configuration.ts';
import { loadSchedulerConfiguration } from './config/load-configuration.ts';
import type { SchedulerConfiguration } from './config/types.ts';
import { explainPage } from './explanations/explain-page.ts';
import { Explanations } from './explanations/explanations.ts';
import { run } from './run.ts';

type ParsedSchedulerFlags = ParsedFlags<typeof schedulerFlags>;

const DEFAULT_BURST = 100;

export function schedulerHelp(): string {
  return flagsHelp(schedulerFlags, { usage: 'kube-scheduler: finds a node for every pod that has none' });
}

/** Throws a UsageError for flags that are invalid or not supported. */
export function parseSchedulerFlags(argv: readonly string[]): ParsedSchedulerFlags {
  const parsed = parseFlags(argv, schedulerFlags);
  if (!parsed.help) gateFlags(parsed.values);
  return parsed;
}

/** The configuration of the file and the flags. */
async function schedulerConfiguration(values: SchedulerFlagValues): Promise<SchedulerConfiguration> {
  const own = {
    pluginModules: values['plugin-module'],
    podMaxInUnschedulableSeconds: values['pod-max-in-unschedulable-pods-duration'] / 1000,
    featureGates: gateFlags(values).featureGates,
  };
  if (values.config) return { ...loadSchedulerConfiguration(await fs.readFile(values.config, 'utf8')), ...own };
  return {
    ...DEFAULT_CONFIG,
    ...own,
    leaderElect: values['leader-elect'],
    leaderElection: {
      leaseDurationMs: values['leader-elect-lease-duration'],
      renewDeadlineMs: values['leader-elect-renew-deadline'],
      retryPeriodMs: values['leader-elect-retry-period'],
      resourceName: values['leader-elect-resource-name'],
      resourceNamespace: values['leader-elect-resource-namespace'],
    },
  };
}

/** Runs until the context ends, or the lease is lost. */
export async function runSchedulerCommand(ctx: Context, parsed: ParsedSchedulerFlags): Promise<void> {
  const { values, warnings } = parsed;
  for (const warning of warnings) ctx.logger.warn(warning);
  const config = await schedulerConfiguration(values);
  if (values['write-config-to']) {
    await fs.writeFile(values['write-config-to'], formatConfiguration(config));
    return;
  }
  const client = await clientOf(ctx, values, config);
  const group = new RunGroup(ctx);
  const inner: Context = { ...ctx, signal: group.signal };
  const explanations = new Explanations();
  const electionCheck = new LeaderElectionCheck();
  const { featureGates, effectiveVersion, withoutEffect } = gateFlags(values);
  for (const name of withoutEffect) ctx.logger.warn('The feature gate has no effect in this component', { name });
  registerComponentMetrics(ctx, { featureGates, effectiveVersion });
  if (values['secure-port'] !== 0) {
    const server = await serveComponent(inner, {
      component: 'kube-scheduler',
      flags: flagTexts(values),
      effectiveVersion,
      checks: [
        { name: electionCheck.name, check: electionCheck.check, endpoints: ['healthz', 'readyz'] },
        { name: 'ping', endpoints: ['livez'], check: () => undefined },
        {
          name: 'shutdown',
          endpoints: ['readyz'],
          check: () => (inner.signal.aborted ? 'process is shutting down' : undefined),
        },
        { name: 'sched-handler-sync', endpoints: ['readyz'], check: () => undefined },
      ],
      host: values['bind-address'],
      port: values['secure-port'],
      serving: await followServingFiles(inner, values, {
        name: 'kube-scheduler',
        generate: () => selfSignedCertificate(ctx, 'kube-scheduler'),
      }),
      tls: tlsSettings(values),
      access: new DelegatedAccess(ctx.clock, client),
      alwaysAllowPaths: values['authorization-always-allow-paths'],
      clientCa: await followClientCa(inner, {
        client,
        file: values['client-ca-file'],
        skipLookup: values['authentication-skip-lookup'],
      }),
      pages: { '/explain': (query) => explainPage(explanations, query) },
      configuration: { componentconfig: configurationObject(config) },
    });
    group.start('server', () => server.finished);
  }
  const identity = `${os.hostname()}_${ctx.random.uid()}`;
  const coordinated = candidateVersions(featureGates, effectiveVersion);
  group.start('scheduler', () => run(inner, { client, config, identity, explanations, electionCheck, coordinated }));
  try {
    await group.wait();
  } finally {
    await client.close();
  }
}

async function clientOf(ctx: Context, values: SchedulerFlagValues, config: SchedulerConfiguration): Promise<Client> {
  const file = values.kubeconfig || config.clientConnection.kubeconfig;
  const loaded: ClientConfig = file
    ? await loadKubeconfig({ clock: ctx.clock, file })
    : await inClusterConfig({ clock: ctx.clock });
  const server = values.master ? { ...loaded, server: values.master } : loaded;
  const qps = values['kube-api-qps'];
  return connect(ctx, server, {
    userAgent: `kube-scheduler/${KUBERNETES_VERSION}`,
    ...(qps ? { limiter: new TokenBucket(ctx.clock, { qps, burst: values['kube-api-burst'] ?? DEFAULT_BURST }) } : {}),
  });
}
