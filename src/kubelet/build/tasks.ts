/** The tasks of a running kubelet besides pod workers, by name. */
import path from 'node:path';
import { renewIssuedCertificate, rotateServingCertificate } from '../certificates/serving-certificate.ts';
import { retryOrphanedPodCleanup, type OrphanedPodOptions } from '../clean-up-orphaned-pods.ts';
import { NodeLeaseController } from '../node/node-lease.ts';
import { followStaticPods } from '../pod/static-pods.ts';
import { servePodResources } from '../resources/pod-resources-server.ts';
import { rotateContainerLogs } from '../runtime/container-log-manager.ts';
import type { Housekeeping } from './build-housekeeping.ts';
import type { BuildInput, NodeComponents } from './build-node.ts';
import type { PodComponents } from './build-pods.ts';

export interface Kubelet {
  readonly input: BuildInput;
  readonly node: NodeComponents;
  readonly pods: PodComponents;
  readonly housekeeping: Housekeeping;
}

type Tasks = Readonly<Record<string, (() => Promise<void>) | undefined>>;

/** Started after the node is registered. */
export function registeredNodeTasks({ input: { ctx, options, config }, node: { reporter, csi } }: Kubelet): Tasks {
  const { nodeName, nodeLeaseDurationSeconds: durationSeconds } = config;
  return {
    'csi node': () => csi.initialize(),
    lease: () =>
      new NodeLeaseController(ctx, {
        client: options.client,
        nodeName,
        durationSeconds,
        nodeUid: () => reporter.node?.metadata.uid,
      }).run(),
  };
}

/**
 * Started after the pods of the API server and of the runtime are known; `undefined` for tasks that are not configured.
 */
export function runningKubeletTasks(
  { input, node, pods, housekeeping }: Kubelet,
  orphans: OrphanedPodOptions | undefined,
): Tasks {
  const { ctx, options, config } = input;
  const { client, runtime } = options;
  const { manager } = pods;
  const { server } = housekeeping;
  const activePods = () => manager.activePods();
  const { rootDirectory, nodeName } = config;
  return {
    pleg: () => housekeeping.pleg.run(),
    'node status': () => node.reporter.run(),
    eviction: () => housekeeping.eviction.run(),
    'image garbage collection': () => pods.imageGc.run(),
    'container garbage collection': () => housekeeping.containerGc.run(),
    'container logs': () => rotateContainerLogs(ctx, { runtime, config, running: () => manager.runningContainers() }),
    shutdown: () => housekeeping.shutdown.run(),
    plugins: () => node.plugins.run(),
    'volume expansion': () => node.csi.run(),
    orphans: orphans && (() => retryOrphanedPodCleanup(ctx, orphans)),
    devices: () => node.devices.run(),
    'dynamic resources': () => node.dra.run(),
    'pod resources': () =>
      servePodResources(ctx, { rootDirectory, resources: node.resources, dra: node.dra, activePods }),
    resources: () => node.resources.run(() => manager.workers.map(({ observed }) => observed)),
    server: () => server.finished,
    'serving certificate':
      config.serverTLSBootstrap && config.serving?.certificate === undefined
        ? () =>
            rotateServingCertificate(ctx, {
              ...{ client, nodeName, names: [nodeName, ...config.nodeAddresses] },
              issuer: config.serving?.issuer,
              directory: config.certificateDirectory ?? path.join(rootDirectory, 'pki'),
              onCertificate: (issued) => server.setCertificate(issued),
            })
        : servingRenewal({ input }, server),
  };
}

/** For a certificate that the kubelet's owner issues. */
function servingRenewal(
  { input: { ctx, config } }: Pick<Kubelet, 'input'>,
  server: Kubelet['housekeeping']['server'],
): (() => Promise<void>) | undefined {
  const { certificate, issue } = config.serving ?? {};
  if (certificate === undefined || issue === undefined) return undefined;
  return () =>
    renewIssuedCertificate(ctx, { certificate, issue, onCertificate: (issued) => server.setCertificate(issued) });
}

export function staticPodTasks({ input: { ctx, config }, pods: { manager } }: Kubelet): Tasks {
  const isConfigured = config.staticPodPath !== '' || config.staticPodURL !== '';
  return {
    'static pods': isConfigured
      ? () => followStaticPods(ctx, { config, onPods: (found) => manager.setStaticPods(found) })
      : undefined,
  };
}
