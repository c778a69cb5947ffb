/** CSI volumes on this node: waits for the attachment, stages a volume once per node and publishes it to each pod. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Pod, SecretReference } from '../../../api/generated/core-v1.ts';
import type { CSIDriver } from '../../../api/generated/storage-v1.ts';
import { errorMessage, formatTime } from '../../../base/index.ts';
import { isNotFound, type Client, type EventRecorder, type InformerFactory } from '../../../client/index.ts';
import { childContext, type Context } from '../../../kernel/index.ts';
import type { PluginRegistry } from '../../devices/plugin-registry.ts';
import { publishedPath, type KubeletRoot } from '../../published-root.ts';
import { growLocal } from '../local-volume.ts';
import type { TokenManager } from '../token-manager.ts';
import { VolumeError } from '../volume.ts';
import { waitForAttach } from './attachment.ts';
import { mayHaveHappened } from './call-error.ts';
import type { ClaimUse, CsiDrivers, CsiMount, CsiMounted, VolumeUsage } from './csi-drivers.ts';
import type { NodePublishVolumeRequest, NodeStageVolumeRequest } from './csi-v1.generated.ts';
import { DriverRegistrations, type Driver } from './driver-registrations.ts';
import { ExpansionError } from './expansion-error.ts';
import { NodeExpansion } from './node-expansion.ts';
import { StagedVolumes } from './staged-volumes.ts';
import { kubeletSetsOwnership, volumeCapability } from './volume-capability.ts';
import {
  allVolumeData,
  readVolumeData,
  removeVolumeData,
  stagingPathOf,
  writeVolumeData,
  type StagedData,
  type VolumeData,
} from './volume-data.ts';
import { usageOf } from './volume-usage.ts';

const CALL_TIMEOUT_MS = 2 * 60_000;
const REPUBLISH_MS = 60_000;
const TOKENS = 'csi.storage.k8s.io/serviceAccount.tokens';

interface CsiManagerOptions extends KubeletRoot {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly nodeName: string;
  readonly plugins: PluginRegistry;
  readonly tokens: TokenManager;
  readonly recorder: EventRecorder;
  /** How often to check the claims of pods for a resize. */
  readonly syncFrequencyMs: number;
  readonly onChange: () => void;
}

interface PodVolume extends VolumeData {
  /** `open`: a call has failed in a way that leaves open whether the driver has done it. */
  published: 'no' | 'open' | 'yes';
}

export class CsiManager implements CsiDrivers {
  readonly #ctx: Context;
  readonly #options: CsiManagerOptions;
  readonly #drivers: DriverRegistrations;
  readonly #expansion: NodeExpansion;
  readonly #staged: StagedVolumes;
  /** Volumes of pods, from before they are attached, by directory. */
  readonly #volumes = new Map<string, PodVolume>();
  /** Serializes operations per volume, because several pods may use it. */
  readonly #pendingByVolume = new Map<string, Promise<unknown>>();

  constructor(ctx: Context, options: CsiManagerOptions) {
    this.#ctx = childContext(ctx, 'csi');
    this.#options = options;
    this.#drivers = new DriverRegistrations(this.#ctx, options);
    this.#staged = new StagedVolumes(this.#ctx, {
      rootDirectory: options.rootDirectory,
      unstage: (volume) => this.#unstage(volume),
      serialize: ({ driverName, volumeHandle }, work) => this.#serialize(`${driverName}/${volumeHandle}`, work),
      onUnstaged: options.onChange,
    });
    this.#expansion = new NodeExpansion(this.#ctx, {
      ...options,
      periodMs: options.syncFrequencyMs,
      expand: (use, bytes) =>
        use.volume.spec?.local ? growLocal(use.volume, use.directory) : this.#expand(use, bytes),
    });
  }

  /** Expands volumes in use when their claims are resized. */
  async run(): Promise<void> {
    try {
      await Promise.all([this.#expansion.run(), this.#staged.run()]);
    } finally {
      this.#drivers.stop();
    }
  }

  /** Creates the CSINode. */
  async initialize(): Promise<void> {
    await this.#drivers.initialize();
    this.#options.onChange();
  }

  /** Why the node is not ready. */
  problems(): string[] {
    return this.#drivers.isInitialized ? [] : ['CSINode is not yet initialized'];
  }

  attachLimitReached(driver: string): Promise<void> {
    return this.#drivers.refresh(driver);
  }

  /** Restores the volumes that were published before a restart. */
  async load(): Promise<void> {
    const users = new Map<string, string[]>();
    for (const [directory, data] of await allVolumeData(this.#options.rootDirectory)) {
      this.#volumes.set(directory, { ...data, published: 'yes' });
      users.set(data.stagingPath, [...(users.get(data.stagingPath) ?? []), directory]);
    }
    await this.#staged.load(users);
  }

  /** `volumesInUse` of the node status: volumes that must not be detached. */
  volumesInUse(): string[] {
    const ofPods = [...this.#volumes.values()].filter(({ persistent }) => persistent === true);
    return [
      ...new Set(
        [...ofPods, ...this.#staged.volumes].map(
          ({ driverName, volumeHandle }) => `kubernetes.io/csi/${driverName}^${volumeHandle}`,
        ),
      ),
    ];
  }

  mount(request: CsiMount): Promise<CsiMounted> {
    const { source, persistentVolume, pod, specName } = request;
    const volumeHandle =
      persistentVolume === undefined
        ? `csi-${createHash('sha256').update(`${pod.metadata.uid}${specName}`).digest('hex')}`
        : source.volumeHandle;
    return this.#serialize(`${source.driver}/${volumeHandle}`, () => this.#mount(request, volumeHandle));
  }

  async #mount(request: CsiMount, volumeHandle: string): Promise<CsiMounted> {
    const { source, directory, block, persistentVolume, pod, specName } = request;
    const driver = this.#drivers.driver(source.driver);
    const object = await this.#driverObject(source.driver);
    if (persistentVolume === undefined) checkInline(source.driver, object);
    const target = path.join(directory, 'mount');
    const isStaged = persistentVolume !== undefined && driver.capabilities.has('STAGE_UNSTAGE_VOLUME');
    const stagingPath = isStaged ? stagingPathOf(this.#options.rootDirectory, source.driver, volumeHandle) : '';
    const use = {
      fsType: source.fsType,
      volume: persistentVolume,
      block,
      fsGroup: pod.spec?.securityContext?.fsGroup,
      capabilities: driver.capabilities,
    };
    // The volume counts as in use before it is attached, so that it is not detached in between.
    await this.#saveVolumeData(directory, {
      driverName: source.driver,
      volumeHandle,
      specVolID: specName,
      stagingPath,
      target,
      persistent: persistentVolume !== undefined,
    });
    const publishContext =
      persistentVolume === undefined || object?.spec.attachRequired === false
        ? {}
        : await waitForAttach(this.#ctx, {
            ...{ client: this.#options.client, nodeName: this.#options.nodeName, object, volumeHandle },
            ...{ driver: source.driver, podSignal: request.signal },
          });
    const volume = {
      ...{ volumeId: volumeHandle, publishContext, volumeCapability: volumeCapability(use) },
      stagingTargetPath: this.#published(stagingPath),
    };
    if (isStaged)
      await this.#staged.stage({ driverName: source.driver, volumeHandle, stagingPath }, directory, () =>
        this.#stage(driver, source, volume),
      );
    await this.#publish(driver, request, object, { ...volume, targetPath: this.#published(target) });
    return {
      path: target,
      needsOwnership: kubeletSetsOwnership(use, object),
      ...(object?.spec.requiresRepublish === true ? { refreshAt: this.#ctx.clock.now() + REPUBLISH_MS } : {}),
    };
  }

  async #stage(
    { node }: Driver,
    source: CsiMount['source'],
    volume: NodeStageVolumeRequest,
  ): Promise<() => Promise<unknown>> {
    const secrets = await this.#secret(source.nodeStageSecretRef);
    const volumeContext = source.volumeAttributes ?? {};
    return () => node.nodeStageVolume({ ...volume, secrets, volumeContext }, this.#callOptions());
  }

  async #publish(
    { node }: Driver,
    request: CsiMount,
    object: CSIDriver | undefined,
    volume: NodePublishVolumeRequest,
  ): Promise<void> {
    const { source, pod } = request;
    const tokens = await this.#serviceAccountTokens(pod, object);
    const inSecrets = object?.spec.serviceAccountTokenInSecrets === true;
    const volumeContext = { ...source.volumeAttributes, ...podInfo(request, object), ...(inSecrets ? {} : tokens) };
    const secrets = { ...(await this.#secret(source.nodePublishSecretRef)), ...(inSecrets ? tokens : {}) };
    const readonly = source.readOnly === true;
    const state = this.#volumes.get(request.directory);
    try {
      await node.nodePublishVolume({ ...volume, readonly, secrets, volumeContext }, this.#callOptions());
      if (state !== undefined) state.published = 'yes';
    } catch (error) {
      if (state !== undefined && state.published !== 'yes') state.published = mayHaveHappened(error) ? 'open' : 'no';
      throw error;
    }
  }

  expand(use: ClaimUse): Promise<void> {
    return this.#expansion.published(use);
  }

  podChanged(uid: string): void {
    this.#expansion.podChanged(uid);
  }

  async usage(directory: string): Promise<VolumeUsage | undefined> {
    const data = this.#volumes.get(directory);
    if (data === undefined) return undefined;
    const { node, capabilities } = this.#drivers.driver(data.driverName);
    if (!capabilities.has('GET_VOLUME_STATS')) return undefined;
    return usageOf(
      await node.nodeGetVolumeStats(
        { volumeId: data.volumeHandle, volumePath: this.#published(data.target) },
        this.#callOptions(),
      ),
      capabilities,
    );
  }

  async #expand({ volume, directory }: ClaimUse, requiredBytes: number): Promise<void> {
    const data = this.#volumes.get(directory);
    const source = volume.spec?.csi;
    if (data === undefined || source === undefined)
      throw new ExpansionError('uncertain', `the volume is not published at ${directory}`);
    const { driverName, volumeHandle, stagingPath, target } = data;
    const { node, capabilities } = this.#drivers.driver(driverName);
    if (!capabilities.has('EXPAND_VOLUME'))
      throw new ExpansionError('unsupported', `NodeExpand is not supported by the CSI driver ${driverName}`);
    const reference = source.nodeExpandSecretRef;
    const secrets = await this.#secret(reference).catch((error: unknown) => {
      throw new ExpansionError(
        'final',
        `expander.NodeExpand failed to get NodeExpandSecretRef ${reference?.namespace}/${reference?.name}: ${errorMessage(error)}`,
        { cause: error },
      );
    });
    const capability = volumeCapability({
      fsType: source.fsType,
      volume,
      block: volume.spec?.volumeMode === 'Block',
      fsGroup: undefined,
      capabilities,
    });
    await this.#serialize(`${driverName}/${volumeHandle}`, () =>
      node.nodeExpandVolume(
        {
          volumeId: volumeHandle,
          volumePath: this.#published(target),
          stagingTargetPath: this.#published(stagingPath),
          capacityRange: { requiredBytes },
          volumeCapability: capability,
          secrets,
        },
        this.#callOptions(),
      ),
    );
  }

  async unmount(directory: string): Promise<void> {
    await this.#expansion.unpublished(directory);
    const data = await readVolumeData(directory);
    if (data !== undefined)
      await this.#serialize(`${data.driverName}/${data.volumeHandle}`, () => this.#unmount(directory, data));
  }

  async #unmount(directory: string, { driverName, volumeHandle, stagingPath, target }: VolumeData): Promise<void> {
    if (this.#volumes.get(directory)?.published !== 'no') {
      const volume = { volumeId: volumeHandle, targetPath: this.#published(target) };
      await this.#drivers.driver(driverName).node.nodeUnpublishVolume(volume, this.#callOptions());
    }
    await removeVolumeData(directory);
    const wasUsed = this.#volumes.delete(directory);
    if (stagingPath !== '') this.#staged.release(stagingPath, directory);
    if (wasUsed) this.#options.onChange();
  }

  async #unstage({ driverName, volumeHandle, stagingPath }: StagedData): Promise<void> {
    const { node } = this.#drivers.driver(driverName);
    const stagingTargetPath = this.#published(stagingPath);
    await node.nodeUnstageVolume({ volumeId: volumeHandle, stagingTargetPath }, this.#callOptions());
  }

  async #saveVolumeData(directory: string, data: VolumeData): Promise<void> {
    await writeVolumeData(directory, data);
    const before = this.#volumes.get(directory);
    const isNew = before === undefined;
    this.#volumes.set(directory, { ...data, published: before?.published ?? 'no' });
    if (isNew) this.#options.onChange();
  }

  #published = (file: string): string => publishedPath(this.#options, file);

  #driverObject(name: string): Promise<CSIDriver | undefined> {
    return this.#options.client
      .resource('storage.k8s.io/v1/csidrivers')
      .get({ name })
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
  }

  /** Bound service account tokens for the audiences that the CSIDriver requests. */
  async #serviceAccountTokens(pod: Pod, driver: CSIDriver | undefined): Promise<Record<string, string>> {
    const requests = driver?.spec.tokenRequests ?? [];
    if (requests.length === 0) return {};
    const byAudience: Record<string, { token: string; expirationTimestamp: string }> = {};
    for (const { audience, expirationSeconds } of requests) {
      const { token, expiresAt } = await this.#options.tokens.token(pod, {
        audience,
        ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
      });
      byAudience[audience] = { token, expirationTimestamp: formatTime(expiresAt) };
    }
    return { [TOKENS]: JSON.stringify(byAudience) };
  }

  async #secret(reference: SecretReference | undefined): Promise<Record<string, string>> {
    if (reference?.name === undefined) return {};
    const { data = {} } = await this.#options.client
      .resource('v1/secrets')
      .get({ namespace: reference.namespace, name: reference.name });
    return Object.fromEntries(
      Object.entries(data).map(([key, base64]) => [key, Buffer.from(base64, 'base64').toString()]),
    );
  }

  #callOptions(): { signal: AbortSignal } {
    return { signal: this.#ctx.clock.deadline(CALL_TIMEOUT_MS, this.#ctx.signal) };
  }

  #serialize<T>(key: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#pendingByVolume.get(key) ?? Promise.resolve()).then(work);
    const settled = done.then(
      () => {},
      () => {},
    );
    this.#pendingByVolume.set(key, settled);
    void settled.then(() => {
      if (this.#pendingByVolume.get(key) === settled) this.#pendingByVolume.delete(key);
    });
    return done;
  }
}

function checkInline(name: string, driver: CSIDriver | undefined): void {
  if (driver === undefined)
    throw new VolumeError(`volume mode "Ephemeral" not supported by driver ${name} (no CSIDriver object)`);
  const modes = driver.spec.volumeLifecycleModes ?? ['Persistent'];
  if (!modes.includes('Ephemeral'))
    throw new VolumeError(
      `volume mode "Ephemeral" not supported by driver ${name} (only supports ${JSON.stringify(modes)})`,
    );
}

/** podInfoOnMount: the pod of the volume, for the volume context. */
function podInfo({ pod, persistentVolume }: CsiMount, driver: CSIDriver | undefined): Record<string, string> {
  if (driver?.spec.podInfoOnMount !== true) return {};
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  return {
    'csi.storage.k8s.io/pod.name': name,
    'csi.storage.k8s.io/pod.namespace': namespace,
    'csi.storage.k8s.io/pod.uid': uid,
    'csi.storage.k8s.io/serviceAccount.name': pod.spec?.serviceAccountName ?? 'default',
    'csi.storage.k8s.io/ephemeral': String(persistentVolume === undefined),
  };
}
