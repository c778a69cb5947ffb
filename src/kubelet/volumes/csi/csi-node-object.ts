/**
 * The CSINode object of the node: the CSI drivers that are registered, each with the node's ID, its topology keys and
 * how many volumes the node can have. It exists from the start of the kubelet, and a node that was made anew gets
 * another one.
 */
import type { Node } from '../../../api/generated/core-v1.ts';
import type { CSINode, CSINodeDriver } from '../../../api/generated/storage-v1.ts';
import { isAlreadyExists, isNotFound, retryOnConflict, type Client } from '../../../client/index.ts';
import type { Context } from '../../../kernel/index.ts';
import type { NodeGetInfoResponse } from './csi-v1.generated.ts';

const MIGRATED_PLUGINS = 'storage.alpha.kubernetes.io/migrated-plugins';
/** In-tree volume plugins whose volumes CSI drivers serve. */
const MIGRATED = ['aws-ebs', 'azure-disk', 'azure-file', 'cinder', 'gce-pd', 'portworx-volume', 'vsphere-volume']
  .map((name) => `kubernetes.io/${name}`)
  .join();

const NODE_IDS = 'csi.volume.kubernetes.io/nodeid';
const MAX_COUNT = 2 ** 31 - 1;

export class CsiNodeObject {
  readonly #ctx: Context;
  readonly #client: Client;
  readonly #nodeName: string;

  constructor(ctx: Context, { client, nodeName }: { readonly client: Client; readonly nodeName: string }) {
    this.#ctx = ctx;
    this.#client = client;
    this.#nodeName = nodeName;
  }

  /** Creates the object, or takes over that of an earlier run. */
  async initialize(): Promise<void> {
    await this.#update((drivers) => drivers);
  }

  /** Also tells the Node of its ID and topology. */
  async install(driver: string, info: NodeGetInfoResponse): Promise<void> {
    if (!info.nodeId) throw new Error('error adding CSI driver node info: driverNodeID must not be empty');
    await this.#tellNode(driver, info);
    await this.update(driver, info);
  }

  async update(driver: string, info: NodeGetInfoResponse): Promise<void> {
    const entry = entryOf(driver, info);
    await this.#update((drivers) =>
      drivers.some((one) => isEqual(one, entry)) ? drivers : [...drivers.filter(({ name }) => name !== driver), entry],
    );
  }

  async uninstall(driver: string): Promise<void> {
    await this.#update((drivers) => drivers.filter(({ name }) => name !== driver));
    const nodes = this.#client.resource('v1/nodes');
    const { [driver]: removed, ...rest } = nodeIds(await nodes.get({ name: this.#nodeName }));
    if (removed === undefined) return;
    const left = Object.keys(rest).length > 0 ? sortedJson(rest) : null;
    await nodes.patch({ name: this.#nodeName }, { metadata: { annotations: { [NODE_IDS]: left } } }, { type: 'merge' });
  }

  async #tellNode(driver: string, { nodeId = '', accessibleTopology }: NodeGetInfoResponse): Promise<void> {
    const nodes = this.#client.resource('v1/nodes');
    const node = await nodes.get({ name: this.#nodeName });
    const topology = accessibleTopology?.segments ?? {};
    const labels = new Map(Object.entries(node.metadata.labels ?? {}));
    for (const [key, value] of Object.entries(topology)) {
      const label = labels.get(key);
      if (label !== undefined && label !== value)
        throw new Error(
          `detected topology value collision: driver reported ${JSON.stringify(key)}:${JSON.stringify(value)} but existing label is ${JSON.stringify(key)}:${JSON.stringify(label)}`,
        );
    }
    const ids = nodeIds(node);
    const isKnown = ids[driver] === nodeId && Object.keys(topology).every((key) => labels.has(key));
    if (isKnown) return;
    const annotations = { [NODE_IDS]: sortedJson({ ...ids, [driver]: nodeId }) };
    await nodes.patch({ name: this.#nodeName }, { metadata: { annotations, labels: topology } }, { type: 'merge' });
  }

  async #update(change: (drivers: readonly CSINodeDriver[]) => readonly CSINodeDriver[]): Promise<void> {
    await retryOnConflict(this.#ctx, async () => {
      const current = await this.#ensure();
      const before = current.spec.drivers ?? [];
      const drivers = [...change(before)];
      const isSame = drivers.length === before.length && drivers.every((driver) => before.includes(driver));
      if (isSame && current.metadata.annotations?.[MIGRATED_PLUGINS] === MIGRATED) return;
      const annotations = { ...current.metadata.annotations, [MIGRATED_PLUGINS]: MIGRATED };
      await this.#client
        .resource('storage.k8s.io/v1/csinodes')
        .update({ ...current, metadata: { ...current.metadata, annotations }, spec: { drivers } });
    });
  }

  /** The object of this Node: one that an earlier Node of the name has left is deleted. */
  async #ensure(): Promise<CSINode> {
    const objects = this.#client.resource('storage.k8s.io/v1/csinodes');
    const name = this.#nodeName;
    const { uid = '' } = (await this.#client.resource('v1/nodes').get({ name })).metadata;
    const current = await objects.get({ name }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    const owners = current?.metadata.ownerReferences ?? [];
    if (current !== undefined && owners.some((owner) => owner.kind === 'Node' && owner.uid === uid)) return current;
    if (current !== undefined) await objects.delete({ name });
    const created: CSINode = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: {
        name,
        annotations: { [MIGRATED_PLUGINS]: MIGRATED },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
      },
      spec: { drivers: [] },
    };
    return objects.create(created).catch((error: unknown) => {
      if (isAlreadyExists(error)) return objects.get({ name });
      throw error;
    });
  }
}

function entryOf(name: string, { nodeId = '', accessibleTopology, maxVolumesPerNode = 0 }: NodeGetInfoResponse) {
  const topologyKeys = Object.keys(accessibleTopology?.segments ?? {}).toSorted();
  const allocatable = { count: Math.min(maxVolumesPerNode, MAX_COUNT) };
  return { name, nodeID: nodeId, topologyKeys, ...(maxVolumesPerNode > 0 ? { allocatable } : {}) };
}

const isEqual = (one: CSINodeDriver, other: CSINodeDriver): boolean =>
  one.name === other.name &&
  one.nodeID === other.nodeID &&
  (one.topologyKeys ?? []).toSorted().join() === (other.topologyKeys ?? []).join() &&
  one.allocatable?.count === other.allocatable?.count;

function nodeIds({ metadata }: Node): Record<string, string> {
  const text = metadata.annotations?.[NODE_IDS];
  return text === undefined || text === '' ? {} : (JSON.parse(text) as Record<string, string>);
}

const sortedJson = (map: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1))));
