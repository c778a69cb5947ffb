/** CSI drivers on this node: their registration shows in the CSINode, and volumes are staged and published through them. */
import fs from 'node:fs/promises';
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { PersistentVolume, SecretReference } from '../../../api/generated/core-v1.ts';
import type { CSINode } from '../../../api/generated/storage-v1.ts';
import { isAlreadyExists, isNotFound, retryOnConflict, type Client } from '../../../client/index.ts';
import { connectGrpc, type GrpcConnection } from '../../../kernel/grpc/index.ts';
import { childContext, type Context } from '../../../kernel/index.ts';
import type { PluginRegistry } from '../../devices/plugin-registry.ts';
import { VolumeError } from '../volume.ts';
import { descriptor, PACKAGE, type Node as NodeService, type NodeGetInfoResponse, type VolumeCapability } from './csi-v1.generated.ts';
import type { CsiDrivers, CsiMount } from './csi-drivers.ts';

const CONTRACT = { package: PACKAGE, descriptor };
const DATA_FILE = 'vol_data.json';
const ATTACH_WAIT_MS = 2 * 60_000;
const ATTACH_POLL_MS = 500;

interface Driver {
  readonly connection: GrpcConnection;
  readonly node: NodeService;
  readonly stages: boolean;
  readonly nodeId: string;
}

interface VolumeData {
  readonly driverName: string;
  readonly volumeHandle: string;
  readonly specVolID: string;
  readonly stagingPath: string;
  readonly target: string;
}

export interface CsiManagerOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly rootDirectory: string;
  readonly plugins: PluginRegistry;
  readonly onChange: () => void;
}

export class CsiManager implements CsiDrivers {
  readonly #ctx: Context;
  readonly #options: CsiManagerOptions;
  readonly #drivers = new Map<string, Driver>();
  /** How many pods have a volume staged, by the staging path. */
  readonly #staged = new Map<string, Set<string>>();
  readonly #inUse = new Map<string, string>();

  constructor(ctx: Context, options: CsiManagerOptions) {
    this.#ctx = childContext(ctx, 'csi');
    this.#options = options;
    options.plugins.handle('CSIPlugin', {
      register: ({ name, endpoint }) => this.#register(name, endpoint),
      deregister: (name) => this.#deregister(name),
    });
  }

  /** For the node's status: what must not be detached. */
  volumesInUse(): string[] {
    return [...new Set(this.#inUse.values())];
  }

  async mount(request: CsiMount): Promise<string> {
    const { source, directory, block, persistentVolume, pod } = request;
    const driver = this.#drivers.get(source.driver);
    if (driver === undefined) throw new VolumeError(`driver name ${source.driver} not found in the list of registered CSI drivers`);
    const volumeHandle = persistentVolume === undefined ? `csi-${createHash('sha256').update(`${pod.metadata.uid}${request.specName}`).digest('hex')}` : source.volumeHandle;
    const target = path.join(directory, 'mount');
    const stagingPath = persistentVolume !== undefined && driver.stages ? this.#stagingPath(source.driver, volumeHandle) : '';
    const publishContext = persistentVolume === undefined ? {} : await this.#attached(source.driver, persistentVolume);
    const volumeCapability = capabilityOf(source.fsType, persistentVolume, block);
    await fs.mkdir(directory, { recursive: true, mode: 0o750 });
    const data: VolumeData = { driverName: source.driver, volumeHandle, specVolID: request.specName, stagingPath, target };
    await fs.writeFile(path.join(directory, DATA_FILE), JSON.stringify(data));
    const volumeContext = { ...source.volumeAttributes, ...(await this.#podInfo(request)) };
    if (stagingPath !== '') {
      await fs.mkdir(stagingPath, { recursive: true, mode: 0o750 });
      await driver.node.nodeStageVolume({ volumeId: volumeHandle, publishContext, stagingTargetPath: stagingPath, volumeCapability, secrets: await this.#secret(source.nodeStageSecretRef), volumeContext: source.volumeAttributes ?? {} });
      const users = this.#staged.get(stagingPath) ?? new Set<string>();
      users.add(directory);
      this.#staged.set(stagingPath, users);
    }
    await driver.node.nodePublishVolume({ volumeId: volumeHandle, publishContext, stagingTargetPath: stagingPath, targetPath: target, volumeCapability, readonly: source.readOnly === true, secrets: await this.#secret(source.nodePublishSecretRef), volumeContext });
    if (persistentVolume !== undefined) this.#use(directory, `kubernetes.io/csi/${source.driver}^${volumeHandle}`);
    return target;
  }

  async unmount(directory: string): Promise<void> {
    const text = await fs.readFile(path.join(directory, DATA_FILE), 'utf8').catch(() => undefined);
    if (text === undefined) return;
    const { driverName, volumeHandle, stagingPath, target } = JSON.parse(text) as VolumeData;
    const driver = this.#drivers.get(driverName);
    if (driver === undefined) throw new VolumeError(`driver name ${driverName} not found in the list of registered CSI drivers`);
    await driver.node.nodeUnpublishVolume({ volumeId: volumeHandle, targetPath: target });
    const users = this.#staged.get(stagingPath);
    users?.delete(directory);
    if (stagingPath !== '' && (users === undefined || users.size === 0) && !(await this.#isStagedElsewhere(stagingPath, directory))) {
      await driver.node.nodeUnstageVolume({ volumeId: volumeHandle, stagingTargetPath: stagingPath });
      this.#staged.delete(stagingPath);
      await fs.rm(path.dirname(stagingPath), { recursive: true, force: true });
    }
    await fs.rm(path.join(directory, DATA_FILE), { force: true });
    if (this.#inUse.delete(directory)) this.#options.onChange();
  }

  #use(directory: string, uniqueName: string): void {
    if (this.#inUse.get(directory) === uniqueName) return;
    this.#inUse.set(directory, uniqueName);
    this.#options.onChange();
  }

  /** After a restart only the directories tell who else uses a staged volume. */
  async #isStagedElsewhere(stagingPath: string, except: string): Promise<boolean> {
    const pods = path.join(this.#options.rootDirectory, 'pods');
    for (const uid of await fs.readdir(pods).catch(() => [])) {
      for (const kind of ['kubernetes.io~pvc', 'kubernetes.io~csi']) {
        const parent = path.join(pods, uid, 'volumes', kind);
        for (const name of await fs.readdir(parent).catch(() => [])) {
          const directory = path.join(parent, name);
          if (directory === except) continue;
          const text = await fs.readFile(path.join(directory, DATA_FILE), 'utf8').catch(() => undefined);
          if (text !== undefined && (JSON.parse(text) as VolumeData).stagingPath === stagingPath) return true;
        }
      }
    }
    return false;
  }

  #stagingPath(driver: string, volumeHandle: string): string {
    return path.join(this.#options.rootDirectory, 'plugins', 'kubernetes.io/csi', driver, createHash('sha256').update(volumeHandle).digest('hex'), 'globalmount');
  }

  /** Waits until the volume is attached, where the driver says that it must be. */
  async #attached(driver: string, volume: PersistentVolume): Promise<Record<string, string>> {
    const { client, nodeName } = this.#options;
    const { clock, signal } = this.#ctx;
    const required = await client.resource('storage.k8s.io/v1/csidrivers').get({ name: driver }).then(
      ({ spec }) => spec.attachRequired !== false,
      (error: unknown) => {
        if (isNotFound(error)) return true;
        throw error;
      },
    );
    if (!required) return {};
    const name = `csi-${createHash('sha256').update(`${volume.spec?.csi?.volumeHandle}${driver}${nodeName}`).digest('hex')}`;
    const deadline = clock.monotonic() + ATTACH_WAIT_MS;
    for (;;) {
      const attachment = await client.resource('storage.k8s.io/v1/volumeattachments').get({ name }).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      if (attachment?.status?.attached === true) return attachment.status.attachmentMetadata ?? {};
      if (attachment?.status?.attachError?.message) throw new VolumeError(attachment.status.attachError.message);
      if (clock.monotonic() > deadline) throw new VolumeError(`timed out waiting for the volume ${volume.metadata.name} to be attached`);
      await clock.sleep(ATTACH_POLL_MS, signal);
    }
  }

  /** Drivers that ask for it are told whose volume it is. */
  async #podInfo({ pod, source, persistentVolume }: CsiMount): Promise<Record<string, string>> {
    const found = await this.#options.client.resource('storage.k8s.io/v1/csidrivers').get({ name: source.driver }).catch(() => undefined);
    if (found?.spec.podInfoOnMount !== true) return {};
    const { name = '', namespace = '', uid = '' } = pod.metadata;
    return {
      'csi.storage.k8s.io/pod.name': name,
      'csi.storage.k8s.io/pod.namespace': namespace,
      'csi.storage.k8s.io/pod.uid': uid,
      'csi.storage.k8s.io/serviceAccount.name': pod.spec?.serviceAccountName ?? 'default',
      'csi.storage.k8s.io/ephemeral': String(persistentVolume === undefined),
    };
  }

  async #secret(reference: SecretReference | undefined): Promise<Record<string, string>> {
    if (reference?.name === undefined) return {};
    const { data = {} } = await this.#options.client.resource('v1/secrets').get({ namespace: reference.namespace, name: reference.name });
    return Object.fromEntries(Object.entries(data).map(([key, base64]) => [key, Buffer.from(base64, 'base64').toString()]));
  }

  async #register(name: string, endpoint: string): Promise<void> {
    const connection = connectGrpc(endpoint);
    const node = connection.service<NodeService>(CONTRACT, 'Node');
    const [info, { capabilities = [] }] = await Promise.all([node.nodeGetInfo({}), node.nodeGetCapabilities({})]);
    this.#drivers.get(name)?.connection.close();
    this.#drivers.set(name, { connection, node, nodeId: info.nodeId ?? '', stages: capabilities.some(({ rpc }) => rpc?.type === 'STAGE_UNSTAGE_VOLUME') });
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
    if (Object.keys(topology).length > 0) await client.resource('v1/nodes').patch({ name: nodeName }, { metadata: { labels: topology } }, { type: 'strategic' });
    const entry = info && { name: driver, nodeID: info.nodeId ?? '', topologyKeys: Object.keys(topology), ...((info.maxVolumesPerNode ?? 0) > 0 ? { allocatable: { count: info.maxVolumesPerNode } } : {}) };
    await retryOnConflict(this.#ctx, async () => {
      const current = await csiNodes.get({ name: nodeName }).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      const drivers = [...(current?.spec.drivers ?? []).filter(({ name }) => name !== driver), ...(entry === undefined ? [] : [entry])];
      if (current !== undefined) {
        await csiNodes.update({ ...current, spec: { drivers } });
        return;
      }
      if (entry === undefined) return;
      const owner = await client.resource('v1/nodes').get({ name: nodeName });
      const made: CSINode = { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: nodeName, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: owner.metadata.uid ?? '' }] }, spec: { drivers } };
      await csiNodes.create(made).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    });
  }
}

function capabilityOf(fsType: string | undefined, volume: PersistentVolume | undefined, block: boolean): VolumeCapability {
  const modes = volume?.spec?.accessModes ?? [];
  const mode = modes.includes('ReadWriteMany') ? 'MULTI_NODE_MULTI_WRITER' : modes.includes('ReadOnlyMany') ? 'MULTI_NODE_READER_ONLY' : 'SINGLE_NODE_WRITER';
  return { ...(block ? { block: {} } : { mount: { fsType: fsType ?? '', mountFlags: volume?.spec?.mountOptions ?? [] } }), accessMode: { mode } };
}
