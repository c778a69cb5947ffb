/** The registered CSI drivers, and their entries in the CSINode object and topology labels of the node. */
import type { CSINode } from '../../../api/generated/storage-v1.ts';
import { isAlreadyExists, isNotFound, retryOnConflict, type Client } from '../../../client/index.ts';
import { connectGrpc, type GrpcConnection } from '../../../grpc/index.ts';
import type { Context } from '../../../kernel/index.ts';
import type { PluginRegistry } from '../../devices/plugin-registry.ts';
import { VolumeError } from '../volume.ts';
import {
  descriptor,
  PACKAGE,
  type Node as NodeService,
  type NodeCapabilityType,
  type NodeGetInfoResponse,
} from './csi-v1.generated.ts';

const CONTRACT = { package: PACKAGE, descriptor };

export interface Driver {
  readonly connection: GrpcConnection;
  readonly node: NodeService;
  readonly capabilities: ReadonlySet<NodeCapabilityType>;
}

interface DriverRegistrationsOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly plugins: PluginRegistry;
}

export class DriverRegistrations {
  readonly #ctx: Context;
  readonly #options: DriverRegistrationsOptions;
  readonly #drivers = new Map<string, Driver>();

  constructor(ctx: Context, options: DriverRegistrationsOptions) {
    this.#ctx = ctx;
    this.#options = options;
    options.plugins.handle('CSIPlugin', {
      register: ({ name, endpoint }) => this.#register(name, endpoint),
      deregister: (name) => this.#deregister(name),
    });
  }

  driver(name: string): Driver {
    const driver = this.#drivers.get(name);
    if (driver === undefined)
      throw new VolumeError(`driver name ${name} not found in the list of registered CSI drivers`);
    return driver;
  }

  async #register(name: string, endpoint: string): Promise<void> {
    const connection = connectGrpc(endpoint);
    const node = connection.service<NodeService>(CONTRACT, 'Node');
    const [info, { capabilities = [] }] = await Promise.all([node.nodeGetInfo({}), node.nodeGetCapabilities({})]);
    this.#drivers.get(name)?.connection.close();
    this.#drivers.set(name, {
      connection,
      node,
      capabilities: new Set(capabilities.flatMap(({ rpc }) => rpc?.type ?? [])),
    });
    await this.#updateCsiNode(name, info);
  }

  async #deregister(name: string): Promise<void> {
    this.#drivers.get(name)?.connection.close();
    this.#drivers.delete(name);
    await this.#updateCsiNode(name, undefined);
  }

  async #updateCsiNode(driver: string, info: NodeGetInfoResponse | undefined): Promise<void> {
    const { client, nodeName } = this.#options;
    const csiNodes = client.resource('storage.k8s.io/v1/csinodes');
    const topology = info?.accessibleTopology?.segments ?? {};
    if (Object.keys(topology).length > 0)
      await client
        .resource('v1/nodes')
        .patch({ name: nodeName }, { metadata: { labels: topology } }, { type: 'strategic' });
    const entry = info && {
      name: driver,
      nodeID: info.nodeId ?? '',
      topologyKeys: Object.keys(topology),
      ...((info.maxVolumesPerNode ?? 0) > 0 ? { allocatable: { count: info.maxVolumesPerNode } } : {}),
    };
    await retryOnConflict(this.#ctx, async () => {
      const current = await csiNodes.get({ name: nodeName }).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      const drivers = [
        ...(current?.spec.drivers ?? []).filter(({ name }) => name !== driver),
        ...(entry === undefined ? [] : [entry]),
      ];
      if (current !== undefined) {
        await csiNodes.update({ ...current, spec: { drivers } });
        return;
      }
      if (entry === undefined) return;
      const owner = await client.resource('v1/nodes').get({ name: nodeName });
      const csiNode: CSINode = {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSINode',
        metadata: {
          name: nodeName,
          ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: owner.metadata.uid ?? '' }],
        },
        spec: { drivers },
      };
      await csiNodes.create(csiNode).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    });
  }
}
