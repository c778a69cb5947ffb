/**
 * The PodResources API on `pod-resources/kubelet.sock`: the devices, CPUs and memory of each container, for node
 * agents.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Container, Pod } from '../../api/generated/core-v1.ts';
import { isRestartableInitContainer } from '../../component-helpers/index.ts';
import { GrpcError, GrpcServer } from '../../grpc/index.ts';
import { childContext, type Context, makeDirectory, untilAborted } from '../../kernel/index.ts';
import type { DraManager } from '../dra/dra-manager.ts';
import { uidOf } from '../pod/pod-identity.ts';
import type { MemoryBlock } from './memory-state.ts';
import {
  descriptor,
  PACKAGE,
  type ContainerDevices,
  type ContainerMemory,
  type ContainerResources,
  type PodResources,
  type PodResourcesLister,
  type TopologyInfo,
} from './pod-resources-v1.generated.ts';
import type { ResourceManagers } from './resource-managers.ts';

const MAX_REQUESTS_PER_SECOND = 100;
const BURST = 10;

interface PodResourcesOptions {
  readonly rootDirectory: string;
  readonly resources: Pick<ResourceManagers, 'cpus' | 'memory' | 'devices'>;
  readonly dra: Pick<DraManager, 'claimsOf'>;
  readonly activePods: () => readonly Pod[];
}

/** Serves until the context ends. */
export async function servePodResources(outer: Context, options: PodResourcesOptions): Promise<void> {
  const ctx = childContext(outer, 'pod-resources');
  const directory = path.join(options.rootDirectory, 'pod-resources');
  const socket = path.join(directory, 'kubelet.sock');
  await makeDirectory(directory, { mode: 0o750 });
  await fs.rm(socket, { force: true });
  const server = new GrpcServer().add(
    { package: PACKAGE, descriptor },
    'PodResourcesLister',
    rateLimited(ctx, podResourcesLister(options)),
  );
  await server.listen(`unix://${socket}`);
  await untilAborted(ctx.signal);
  server.close();
}

function podResourcesLister(options: PodResourcesOptions): PodResourcesLister {
  const { resources, activePods } = options;
  return {
    list: () => Promise.resolve({ podResources: activePods().map((pod) => podResources(pod, options)) }),
    get: async ({ podName = '', podNamespace = '' }) => {
      const pod = activePods().find(({ metadata }) => metadata.name === podName && metadata.namespace === podNamespace);
      if (pod === undefined) throw new GrpcError('UNKNOWN', `pod ${podName} in namespace ${podNamespace} not found`);
      return Promise.resolve({ podResources: podResources(pod, options) });
    },
    getAllocatableResources: () =>
      Promise.resolve({
        devices: resources.devices.allocatable().map(({ resource, ids, numaNodes }) => ({
          resourceName: resource,
          deviceIds: [...ids],
          ...topologyOf(numaNodes),
        })),
        cpuIds: resources.cpus.isStatic ? resources.cpus.allocatable : [],
        memory: resources.memory.allocatable.map(memoryOf),
      }),
  };
}

function podResources(pod: Pod, options: PodResourcesOptions): PodResources {
  const { name = '', namespace = '' } = pod.metadata;
  const containers = [
    ...(pod.spec?.initContainers ?? []).filter(isRestartableInitContainer),
    ...(pod.spec?.containers ?? []),
  ].map((container) => containerResources(pod, container, options));
  return { name, namespace, containers };
}

function containerResources(
  pod: Pod,
  container: Container,
  { resources, dra }: PodResourcesOptions,
): ContainerResources {
  const uid = uidOf(pod);
  const devices = Object.entries(resources.devices.allocatedTo(uid)[container.name] ?? {}).flatMap(
    ([resourceName, ids]) =>
      ids.map((id): ContainerDevices => ({
        resourceName,
        deviceIds: [id],
        ...topologyOf(resources.devices.numaNodesOf(resourceName, id)),
      })),
  );
  return {
    name: container.name,
    devices,
    cpuIds: [...(resources.cpus.exclusiveOf(uid, container.name) ?? [])],
    memory: resources.memory.blocksOf(uid, container.name).map(memoryOf),
    dynamicResources: dynamicResources(pod, container, dra),
  };
}

function dynamicResources(
  pod: Pod,
  container: Container,
  dra: PodResourcesOptions['dra'],
): NonNullable<ContainerResources['dynamicResources']> {
  let claims: ReturnType<DraManager['claimsOf']>;
  try {
    claims = dra.claimsOf(pod, container);
  } catch {
    // A claim is not prepared yet, so the container has no devices of it.
    return [];
  }
  return claims.map(({ name, namespace, devices }) => ({
    claimName: name,
    claimNamespace: namespace,
    claimResources: devices.map(({ driver, pool, device, cdiDevices, shareId }) => ({
      cdiDevices: cdiDevices.map((one) => ({ name: one })),
      driverName: driver,
      poolName: pool,
      deviceName: device,
      ...(shareId === undefined ? {} : { shareId }),
    })),
  }));
}

const topologyOf = (nodes: readonly number[]): { topology?: TopologyInfo } =>
  nodes.length === 0 ? {} : { topology: { nodes: nodes.map((ID) => ({ ID })) } };

const memoryOf = ({ type, size, numaAffinity }: MemoryBlock): ContainerMemory => ({
  memoryType: type,
  size,
  ...topologyOf(numaAffinity),
});

/** Upstream's rate limit, so that a busy agent does not slow down the kubelet. */
function rateLimited({ clock }: Context, lister: PodResourcesLister): PodResourcesLister {
  let tokens = BURST;
  let refilledAt = clock.monotonic();
  const takeToken = (): void => {
    const now = clock.monotonic();
    tokens = Math.min(BURST, tokens + ((now - refilledAt) * MAX_REQUESTS_PER_SECOND) / 1000);
    refilledAt = now;
    if (tokens < 1) throw new GrpcError('RESOURCE_EXHAUSTED', 'rejected by rate limit');
    tokens--;
  };
  return {
    list: async (request) => {
      takeToken();
      return lister.list(request);
    },
    get: async (request) => {
      takeToken();
      return lister.get(request);
    },
    getAllocatableResources: async (request) => {
      takeToken();
      return lister.getAllocatableResources(request);
    },
  };
}
