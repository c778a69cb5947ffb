/** `pod-resources/kubelet.sock`: tells agents on the node what of the machine each container has. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Container, Pod } from '../../api/generated/core-v1.ts';
import { isRestartableInitContainer } from '../../component-helpers/index.ts';
import { GrpcError, GrpcServer } from '../../grpc/index.ts';
import { childContext, type Context, makeDirectory } from '../../kernel/index.ts';
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

export interface PodResourcesOptions {
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
    limited(ctx, podResourcesLister(options)),
  );
  await server.listen(`unix://${socket}`);
  await new Promise<void>((resolve) =>
    ctx.signal.aborted ? resolve() : ctx.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  server.close();
}

function podResourcesLister({ resources, dra, activePods }: PodResourcesOptions): PodResourcesLister {
  const containerResources = (pod: Pod, container: Container): ContainerResources => {
    const uid = uidOf(pod);
    const devices = Object.entries(resources.devices.allocatedTo(uid)[container.name] ?? {}).flatMap(
      ([resourceName, ids]) =>
        ids.map((id): ContainerDevices => ({
          resourceName,
          deviceIds: [id],
          ...near(resources.devices.numaNodesOf(resourceName, id)),
        })),
    );
    return {
      name: container.name,
      devices,
      cpuIds: [...(resources.cpus.exclusiveOf(uid, container.name) ?? [])],
      memory: resources.memory.blocksOf(uid, container.name).map(memoryOf),
      dynamicResources: dynamicResources(pod, container),
    };
  };
  const dynamicResources = (pod: Pod, container: Container): NonNullable<ContainerResources['dynamicResources']> => {
    let claims: ReturnType<DraManager['claimsOf']>;
    try {
      claims = dra.claimsOf(pod, container);
    } catch {
      // Not prepared yet, so the container has nothing of it.
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
  };
  const podResources = (pod: Pod): PodResources => ({
    name: pod.metadata.name ?? '',
    namespace: pod.metadata.namespace ?? '',
    containers: [
      ...(pod.spec?.initContainers ?? []).filter(isRestartableInitContainer),
      ...(pod.spec?.containers ?? []),
    ].map((container) => containerResources(pod, container)),
  });
  return {
    list: () => Promise.resolve({ podResources: activePods().map(podResources) }),
    get: async ({ podName = '', podNamespace = '' }) => {
      const pod = activePods().find(({ metadata }) => metadata.name === podName && metadata.namespace === podNamespace);
      if (pod === undefined) throw new GrpcError('UNKNOWN', `pod ${podName} in namespace ${podNamespace} not found`);
      return Promise.resolve({ podResources: podResources(pod) });
    },
    getAllocatableResources: () =>
      Promise.resolve({
        devices: resources.devices
          .allocatable()
          .map(({ resource, ids, numaNodes }) => ({ resourceName: resource, deviceIds: [...ids], ...near(numaNodes) })),
        cpuIds: resources.cpus.isStatic ? resources.cpus.allocatable : [],
        memory: resources.memory.allocatable.map(memoryOf),
      }),
  };
}

const near = (nodes: readonly number[]): { topology?: TopologyInfo } =>
  nodes.length === 0 ? {} : { topology: { nodes: nodes.map((ID) => ({ ID })) } };

const memoryOf = ({ type, size, numaAffinity }: MemoryBlock): ContainerMemory => ({
  memoryType: type,
  size,
  ...near(numaAffinity),
});

/** An agent that asks without pause must not keep the kubelet from its work. */
function limited({ clock }: Context, lister: PodResourcesLister): PodResourcesLister {
  let tokens = BURST;
  let refilledAt = clock.monotonic();
  const take = (): void => {
    const now = clock.monotonic();
    tokens = Math.min(BURST, tokens + ((now - refilledAt) * MAX_REQUESTS_PER_SECOND) / 1000);
    refilledAt = now;
    if (tokens < 1) throw new GrpcError('RESOURCE_EXHAUSTED', 'rejected by rate limit');
    tokens--;
  };
  return {
    list: async (request) => {
      take();
      return lister.list(request);
    },
    get: async (request) => {
      take();
      return lister.get(request);
    },
    getAllocatableResources: async (request) => {
      take();
      return lister.getAllocatableResources(request);
    },
  };
}
