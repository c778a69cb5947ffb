/** `kube-controller-manager` as a program of its own, with upstream's flags. */
import os from 'node:os';
import { candidateVersions, LeaderElectionCheck } from '../client/index.ts';
import {
  DelegatedAccess,
  followClientCa,
  followServingFiles,
  gateFlags,
  registerComponentMetrics,
  selfSignedCertificate,
  serveComponent,
  tlsSettings,
  type HealthCheck,
} from '../component-server/index.ts';
import { flagsHelp, flagTexts, parseFlags } from '../flags/index.ts';
import { type Context, RunGroup } from '../kernel/index.ts';
import { controllerManagerFlags } from './command/flags.ts';
import {
  checkControllerManagerFlags,
  controllerManagerConfig,
  managerClients,
  type ParsedControllerManagerFlags,
} from './command/options.ts';
import { controllers } from './registry.ts';
import { run } from './run.ts';

export function controllerManagerHelp(): string {
  const help = flagsHelp(controllerManagerFlags, {
    usage: 'kube-controller-manager: runs the controllers of Kubernetes',
  });
  const names = controllers.map(
    ({ name, disabledByDefault }) => `  ${name}${disabledByDefault ? ' (off by default)' : ''}`,
  );
  return `${help}\n\nControllers:\n${names.sort().join('\n')}`;
}

/** Throws a UsageError for flags that are invalid or not supported. */
export function parseControllerManagerFlags(argv: readonly string[]): ParsedControllerManagerFlags {
  const parsed = parseFlags(argv, controllerManagerFlags);
  if (!parsed.help) checkControllerManagerFlags(parsed);
  return parsed;
}

/** Runs until the context ends, or the lease is lost. */
export async function runControllerManagerCommand(ctx: Context, parsed: ParsedControllerManagerFlags): Promise<void> {
  const { values, warnings } = parsed;
  for (const warning of warnings) ctx.logger.warn(warning);
  const [given, clients] = await Promise.all([controllerManagerConfig(values), managerClients(ctx, values)]);
  const { client, clientFor, serverCa } = clients;
  // Without --root-ca-file pods get the CA that this component itself trusts.
  const config = given.rootCa === '' ? { ...given, rootCa: serverCa } : given;
  const group = new RunGroup(ctx);
  const inner: Context = { ...ctx, signal: group.signal };
  const electionCheck = new LeaderElectionCheck();
  const started: HealthCheck[] = [];
  const { featureGates, effectiveVersion, withoutEffect } = gateFlags(values);
  for (const name of withoutEffect) ctx.logger.warn('The feature gate has no effect in this component', { name });
  registerComponentMetrics(ctx, { featureGates, effectiveVersion });
  if (values['secure-port'] !== 0) {
    const server = await serveComponent(inner, {
      component: 'kube-controller-manager',
      flags: flagTexts(values),
      effectiveVersion,
      clientCa: await followClientCa(inner, {
        client,
        file: values['client-ca-file'],
        skipLookup: values['authentication-skip-lookup'],
      }),
      checks: () => [electionCheck, ...started],
      host: values['bind-address'],
      port: values['secure-port'],
      serving: await followServingFiles(inner, values, {
        name: 'kube-controller-manager',
        generate: () => selfSignedCertificate(ctx, 'kube-controller-manager'),
      }),
      tls: tlsSettings(values),
      access: new DelegatedAccess(ctx.clock, client),
      alwaysAllowPaths: values['authorization-always-allow-paths'],
      configuration: {
        'kubecontrollermanager.config.k8s.io': { controllers: config.controllers, leaderElect: config.leaderElect },
      },
    });
    group.start('server', () => server.finished);
  }
  group.start('controllers', () =>
    run(inner, {
      client,
      ...(clientFor ? { clientFor } : {}),
      config,
      identity: `${os.hostname()}_${ctx.random.uid()}`,
      electionCheck,
      coordinated: candidateVersions(featureGates, effectiveVersion),
      onStarted: (name) => started.push({ name, check: () => undefined }),
    }),
  );
  try {
    await group.wait();
  } finally {
    await clients.close();
  }
}
