/** Turns kube-controller-manager's flags into its configuration and its API clients. */

import fs from 'node:fs/promises';
import { KUBERNETES_VERSION } from '../../api/kubernetes-version.ts';
import { errorMessage } from '../../base/index.ts';
import {
  connect,
  HttpTransport,
  Client,
  inClusterConfig,
  loadKubeconfig,
  serviceAccountCredentials,
  type ClientConfig,
  type ClientOptions,
} from '../../client/index.ts';
import { gateFlags } from '../../component-server/index.ts';
import { type ParsedFlags, UsageError } from '../../flags/index.ts';
import { type Context, TokenBucket } from '../../kernel/index.ts';
import { API_CLIENT, KUBELET_CLIENT, KUBELET_SERVING, LEGACY_UNKNOWN } from '../certificates/request.ts';
import { DEFAULT_CONFIG, type ControllerManagerConfig } from '../config.ts';
import { enabledControllers } from '../registry.ts';
import { serviceAccountOf } from '../service-account-names.ts';
import { CONCURRENCY, type controllerManagerFlags, type ControllerManagerFlagValues } from './flags.ts';

export type ParsedControllerManagerFlags = ParsedFlags<typeof controllerManagerFlags>;

const USER_AGENT = `kube-controller-manager/${KUBERNETES_VERSION}`;
const DEFAULT_BURST = 30;
/** Where `--enable-hostpath-provisioner` keeps volumes, as upstream does. */
const HOST_PATH_DIRECTORY = '/tmp/hostpath_pv';

/** Validates the flags; files are read later. */
export function checkControllerManagerFlags({ values }: ParsedControllerManagerFlags): void {
  try {
    enabledControllers(values.controllers);
  } catch (error) {
    throw new UsageError(errorMessage(error), { cause: error });
  }
  if (values['allocate-node-cidrs'] && values['cluster-cidr'] === '')
    throw new UsageError('--allocate-node-cidrs needs --cluster-cidr');
  const [lease, renew, retry] = [
    values['leader-elect-lease-duration'],
    values['leader-elect-renew-deadline'],
    values['leader-elect-retry-period'],
  ];
  if (lease <= renew)
    throw new UsageError('--leader-elect-lease-duration must be greater than --leader-elect-renew-deadline');
  if (renew <= retry * 1.2)
    throw new UsageError('--leader-elect-renew-deadline must be greater than --leader-elect-retry-period × 1.2');
  gateFlags(values);
}

const readText = async (file: string | undefined): Promise<string | undefined> =>
  file ? fs.readFile(file, 'utf8') : undefined;

export async function controllerManagerConfig(values: ControllerManagerFlagValues): Promise<ControllerManagerConfig> {
  return {
    ...DEFAULT_CONFIG,
    controllers: values.controllers,
    clusterName: values['cluster-name'],
    legacyTokenCleanUpPeriodSeconds: values['legacy-service-account-token-clean-up-period'] / 1000,
    terminatedPodGcThreshold: values['terminated-pod-gc-threshold'],
    ...(values['enable-hostpath-provisioner'] ? { hostPathProvisionerDirectory: HOST_PATH_DIRECTORY } : {}),
    leaderElect: values['leader-elect'],
    leaderElection: {
      leaseDurationMs: values['leader-elect-lease-duration'],
      renewDeadlineMs: values['leader-elect-renew-deadline'],
      retryPeriodMs: values['leader-elect-retry-period'],
      resourceName: values['leader-elect-resource-name'],
      resourceNamespace: values['leader-elect-resource-namespace'],
    },
    horizontalPodAutoscaler: {
      syncPeriodMs: values['horizontal-pod-autoscaler-sync-period'],
      tolerance: values['horizontal-pod-autoscaler-tolerance'],
      cpuInitializationPeriodMs: values['horizontal-pod-autoscaler-cpu-initialization-period'],
      initialReadinessDelayMs: values['horizontal-pod-autoscaler-initial-readiness-delay'],
      downscaleStabilizationMs: values['horizontal-pod-autoscaler-downscale-stabilization'],
    },
    resourceQuotaSyncPeriodMs: values['resource-quota-sync-period'],
    maxEndpointsPerSlice: values['max-endpoints-per-slice'],
    mirroringMaxEndpointsPerSubset: values['mirroring-max-endpoints-per-subset'],
    concurrentSyncs: concurrentSyncs(values),
    // Several API servers learn of a namespace's deletion one after the other.
    namespaceDeletionDelaySeconds: 5,
    ...nodeConfig(values),
    ...(await keysAndCertificates(values)),
  };
}

function nodeConfig(values: ControllerManagerFlagValues): Partial<ControllerManagerConfig> {
  const maskSize = values['node-cidr-mask-size'];
  return {
    clusterCidr: values['cluster-cidr'],
    allocateNodeCidrs: values['allocate-node-cidrs'],
    serviceClusterIpRange: values['service-cluster-ip-range'],
    nodeCidrMaskSizes: {
      ipv4: values['node-cidr-mask-size-ipv4'] ?? maskSize ?? DEFAULT_CONFIG.nodeCidrMaskSizes.ipv4,
      ipv6: values['node-cidr-mask-size-ipv6'] ?? maskSize ?? DEFAULT_CONFIG.nodeCidrMaskSizes.ipv6,
    },
    nodeMonitorPeriodSeconds: values['node-monitor-period'] / 1000,
    nodeMonitorGracePeriodSeconds: values['node-monitor-grace-period'] / 1000,
    nodeStartupGracePeriodSeconds: values['node-startup-grace-period'] / 1000,
    nodeEviction: {
      primary: values['node-eviction-rate'],
      secondary: values['secondary-node-eviction-rate'],
      largeClusterSize: values['large-cluster-size-threshold'],
      unhealthyThreshold: values['unhealthy-zone-threshold'],
    },
  };
}

async function keysAndCertificates(values: ControllerManagerFlagValues): Promise<Partial<ControllerManagerConfig>> {
  const [rootCa, certificate, key, serviceAccountKey, signerAuthorities] = await Promise.all([
    readText(values['root-ca-file']),
    readText(values['cluster-signing-cert-file']),
    readText(values['cluster-signing-key-file']),
    readText(values['service-account-private-key-file']),
    authoritiesOfSigners(values),
  ]);
  return {
    rootCa: rootCa ?? '',
    ...(certificate === undefined || key === undefined
      ? {}
      : { clusterSigningCertificate: certificate, clusterSigningKey: key }),
    signerAuthorities,
    clusterSigningDurationSeconds: values['cluster-signing-duration'] / 1000,
    ...(serviceAccountKey === undefined ? {} : { serviceAccountPrivateKey: serviceAccountKey }),
  };
}

function concurrentSyncs(values: ControllerManagerFlagValues): Record<string, number> {
  const syncs: Record<string, number> = {};
  for (const [flag, queue] of Object.entries(CONCURRENCY)) {
    const workers = values[flag as keyof typeof CONCURRENCY];
    if (workers === undefined) continue;
    if (workers < 1) throw new UsageError(`--${flag} must be at least 1`);
    syncs[queue] = workers;
  }
  return syncs;
}

const SIGNER_FLAGS = {
  [KUBELET_CLIENT]: ['cluster-signing-kubelet-client-cert-file', 'cluster-signing-kubelet-client-key-file'],
  [KUBELET_SERVING]: ['cluster-signing-kubelet-serving-cert-file', 'cluster-signing-kubelet-serving-key-file'],
  [API_CLIENT]: ['cluster-signing-kube-apiserver-client-cert-file', 'cluster-signing-kube-apiserver-client-key-file'],
  [LEGACY_UNKNOWN]: ['cluster-signing-legacy-unknown-cert-file', 'cluster-signing-legacy-unknown-key-file'],
} as const;

async function authoritiesOfSigners(
  values: ControllerManagerFlagValues,
): Promise<NonNullable<ControllerManagerConfig['signerAuthorities']>> {
  const authorities: Record<string, { certificate: string; key: string }> = {};
  for (const [signer, [certificateFlag, keyFlag]] of Object.entries(SIGNER_FLAGS)) {
    const [certificate, key] = await Promise.all([readText(values[certificateFlag]), readText(values[keyFlag])]);
    if (certificate !== undefined && key !== undefined) authorities[signer] = { certificate, key };
    else if (certificate !== undefined || key !== undefined)
      throw new UsageError(`--${certificateFlag} and --${keyFlag} must be given together`);
  }
  return authorities;
}

interface ManagerClients {
  readonly client: Client;
  readonly clientFor?: (controller: string) => Client;
  /** The CA that verifies the API server; empty for the system's. */
  readonly serverCa: string;
  /** Ends their connections. */
  close(): Promise<void>;
}

export async function managerClients(ctx: Context, values: ControllerManagerFlagValues): Promise<ManagerClients> {
  const config = await clientConfig(ctx, values);
  const options = (): Partial<Omit<ClientOptions, 'transport' | 'clock'>> => {
    const qps = values['kube-api-qps'];
    return {
      userAgent: USER_AGENT,
      ...(qps
        ? { limiter: new TokenBucket(ctx.clock, { qps, burst: values['kube-api-burst'] ?? DEFAULT_BURST }) }
        : {}),
    };
  };
  const client = connect(ctx, config, options());
  const serverCa = config.ca ?? '';
  const all = [client];
  const close = async (): Promise<void> => void (await Promise.all(all.map((one) => one.close())));
  if (!values['use-service-account-credentials']) return { client, serverCa, close };
  return {
    client,
    serverCa,
    close,
    clientFor(controller) {
      const account = serviceAccountOf(controller);
      if (account === undefined) return client;
      const { impersonate: _, ...server } = config;
      const transport = new HttpTransport({
        config: { ...server, credentials: serviceAccountCredentials(ctx, client, account) },
        clock: ctx.clock,
        tracer: ctx.tracer,
        metrics: ctx.metrics,
      });
      const own = new Client({ ...options(), userAgent: `${USER_AGENT}/${account}`, transport, clock: ctx.clock });
      all.push(own);
      return own;
    },
  };
}

async function clientConfig(ctx: Context, values: ControllerManagerFlagValues): Promise<ClientConfig> {
  const config = values.kubeconfig
    ? await loadKubeconfig({ clock: ctx.clock, file: values.kubeconfig })
    : await inClusterConfig({ clock: ctx.clock });
  return values.master ? { ...config, server: values.master } : config;
}
