/** CSI volumes on this node: waits for the attachment, stages a volume once per node and publishes it to each pod. */
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Pod, SecretReference } from '../../../api/generated/core-v1.ts';
import type { CSIDriver } from '../../../api/generated/storage-v1.ts';
import { errorMessage, formatTime } from '../../../base/index.ts';
import { isNotFound, type Client, type EventRecorder } from '../../../client/index.ts';
import { childContext, type Context, makeDirectory } from '../../../kernel/index.ts';
import type { PluginRegistry } from '../../devices/plugin-registry.ts';
import { growLocal } from '../local-volume.ts';
import type { TokenManager } from '../token-manager.ts';
import { VolumeError } from '../volume.ts';
import type { ClaimUse, CsiDrivers, CsiMount, CsiMounted, VolumeUsage } from './csi-drivers.ts';
import type { NodePublishVolumeRequest, NodeStageVolumeRequest } from './csi-v1.generated.ts';
import { DriverRegistrations, type Driver } from './driver-registrations.ts';
import { ExpansionError } from './expansion-error.ts';
import { NodeExpansion } from './node-expansion.ts';
import { kubeletSetsOwnership, volumeCapability } from './volume-capability.ts';
import { allVolumeData, readVolumeData, removeVolumeData, writeVolumeData, type VolumeData } from './volume-data.ts';
import { usageOf } from './volume-usage.ts';

const CALL_TIMEOUT_MS = 2 * 60_000;
const ATTACH_WAIT_MS = 2 * 60_000;
const ATTACH_POLL_MS = 500;
const REPUBLISH_MS = 60_000;
const TOKENS = 'csi.storage.k8s.io/serviceAccount.tokens';

interface CsiManagerOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly rootDirectory: string;
  readonly plugins: PluginRegistry;
  readonly tokens: TokenManager;
  readonly recorder: EventRecorder;
  /** How often to check the claims of pods for a resize. */
  readonly syncFrequencyMs: number;
  readonly onChange: () => void;
}

export class CsiManager implements CsiDrivers {
  readonly #ctx: Context;
  readonly #options: CsiManagerOptions;
  readonly #drivers: DriverRegistrations;
  readonly #expansion: NodeExpansion;
  /** Published volumes, also in progress, by the directory of the pod's volume. */
  readonly #volumes = new Map<string, VolumeData>();
  /** Serializes operations per volume, because several pods may use it. */
  readonly #pendingByVolume = new Map<string, Promise<unknown>>();

  constructor(ctx: Context, options: CsiManagerOptions) {
    this.#ctx = childContext(ctx, 'csi');
    this.#options = options;
    this.#drivers = new DriverRegistrations(this.#ctx, options);
    this.#expansion = new NodeExpansion(this.#ctx, {
      ...options,
      periodMs: options.syncFrequencyMs,
      expand: (use, bytes) =>
        use.volume.spec?.local ? growLocal(use.volume, use.directory) : this.#expand(use, bytes),
    });
  }

  /** Expands volumes in use when their claims are resized. */
  run(): Promise<void> {
    return this.#expansion.run();
  }

  /** Restores the volumes that were published before a restart. */
  async load(): Promise<void> {
    for (const [directory, data] of await allVolumeData(this.#options.rootDirectory))
      this.#volumes.set(directory, data);
  }

  /** `volumesInUse` of the node status: volumes that must not be detached. */
  volumesInUse(): string[] {
    return [
      ...new Set(
        [...this.#volumes.values()]
          .filter(({ persistent }) => persistent === true)
          .map(({ driverName, volumeHandle }) => `kubernetes.io/csi/${driverName}^${volumeHandle}`),
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
    const stagingPath = isStaged ? this.#stagingPath(source.driver, volumeHandle) : '';
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
        : await this.#waitForAttach(source.driver, volumeHandle, request.signal);
    const volume = { volumeId: volumeHandle, publishContext, volumeCapability: volumeCapability(use) };
    if (isStaged) await this.#stage(driver, source, { ...volume, stagingTargetPath: stagingPath });
    await this.#publish(driver, request, object, { ...volume, stagingTargetPath: stagingPath, targetPath: target });
    return {
      path: target,
      needsOwnership: kubeletSetsOwnership(use, object),
      ...(object?.spec.requiresRepublish === true ? { refreshAt: this.#ctx.clock.now() + REPUBLISH_MS } : {}),
    };
  }

  async #stage({ node }: Driver, source: CsiMount['source'], volume: NodeStageVolumeRequest): Promise<void> {
    await makeDirectory(volume.stagingTargetPath ?? '', { mode: 0o750 });
    const secrets = await this.#secret(source.nodeStageSecretRef);
    const volumeContext = source.volumeAttributes ?? {};
    await node.nodeStageVolume({ ...volume, secrets, volumeContext }, this.#callOptions());
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
    await node.nodePublishVolume({ ...volume, readonly, secrets, volumeContext }, this.#callOptions());
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
      await node.nodeGetVolumeStats({ volumeId: data.volumeHandle, volumePath: data.target }, this.#callOptions()),
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
          volumePath: target,
          stagingTargetPath: stagingPath,
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
    const driver = this.#drivers.driver(driverName);
    await driver.node.nodeUnpublishVolume({ volumeId: volumeHandle, targetPath: target }, this.#callOptions());
    const isLast = ![...this.#volumes].some(
      ([other, volume]) => other !== directory && volume.stagingPath === stagingPath,
    );
    if (stagingPath !== '' && isLast) await this.#unstage(driver, volumeHandle, stagingPath);
    await removeVolumeData(directory);
    if (this.#volumes.delete(directory)) this.#options.onChange();
  }

  async #unstage({ node }: Driver, volumeHandle: string, stagingPath: string): Promise<void> {
    await node.nodeUnstageVolume({ volumeId: volumeHandle, stagingTargetPath: stagingPath }, this.#callOptions());
    // Not recursive, because if it were still mounted that would delete the data of the volume.
    for (const folder of [stagingPath, path.dirname(stagingPath)]) {
      await fs.rmdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    }
  }

  async #saveVolumeData(directory: string, data: VolumeData): Promise<void> {
    await writeVolumeData(directory, data);
    const isNew = !this.#volumes.has(directory);
    this.#volumes.set(directory, data);
    if (isNew) this.#options.onChange();
  }

  #stagingPath(driver: string, volumeHandle: string): string {
    return path.join(
      this.#options.rootDirectory,
      'plugins',
      'kubernetes.io/csi',
      driver,
      createHash('sha256').update(volumeHandle).digest('hex'),
      'globalmount',
    );
  }

  #driverObject(name: string): Promise<CSIDriver | undefined> {
    return this.#options.client
      .resource('storage.k8s.io/v1/csidrivers')
      .get({ name })
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
  }

  /** Waits for the VolumeAttachment; returns its attachment metadata. */
  async #waitForAttach(
    driver: string,
    volumeHandle: string,
    podSignal: AbortSignal | undefined,
  ): Promise<Record<string, string>> {
    const { client, nodeName } = this.#options;
    const { clock } = this.#ctx;
    const signal = podSignal === undefined ? this.#ctx.signal : AbortSignal.any([this.#ctx.signal, podSignal]);
    const name = `csi-${createHash('sha256').update(`${volumeHandle}${driver}${nodeName}`).digest('hex')}`;
    const deadline = clock.monotonic() + ATTACH_WAIT_MS;
    for (;;) {
      const attachment = await client
        .resource('storage.k8s.io/v1/volumeattachments')
        .get({ name })
        .catch((error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
        });
      if (attachment?.status?.attached === true && attachment.metadata.deletionTimestamp === undefined)
        return attachment.status.attachmentMetadata ?? {};
      if (attachment?.status?.attachError?.message) throw new VolumeError(attachment.status.attachError.message);
      if (clock.monotonic() > deadline)
        throw new VolumeError(`timed out waiting for the volume ${volumeHandle} of ${driver} to be attached`);
      await clock.sleep(ATTACH_POLL_MS, signal);
    }
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
