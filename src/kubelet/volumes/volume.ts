/** The interface of volume plugins. */
import type { Pod, Volume } from '../../api/generated/core-v1.ts';
import type { Client } from '../../client/index.ts';
import type { ImageSpec } from '../../cri/index.ts';
import type { Clock, Logger } from '../../kernel/index.ts';
import type { PodFacts } from '../environment/field-value.ts';
import type { KubeletRoot } from '../published-root.ts';
import type { CsiDrivers, VolumeUsage } from './csi/csi-drivers.ts';
import type { Mounter } from './mounter.ts';
import type { TokenManager } from './token-manager.ts';
import type { WatchBasedManager } from './watch-based-manager.ts';

/** The dependencies of volume plugins. */
export interface VolumeHost extends KubeletRoot {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mounter: Mounter;
  readonly nodeName: string;
  readonly configMaps: WatchBasedManager<'v1/configmaps'>;
  readonly secrets: WatchBasedManager<'v1/secrets'>;
  readonly tokens: TokenManager;
  readonly csi: CsiDrivers;
  podFacts(pod: Pod): PodFacts;
}

export interface VolumeRequest {
  readonly pod: Pod;
  readonly volume: Volume;
  /** Where the volume is mounted: `ROOT/pods/UID/volumes/kubernetes.io~KIND/NAME`. */
  readonly directory: string;
  readonly host: VolumeHost;
  /** Aborts when the pod no longer waits for the volume. */
  readonly signal?: AbortSignal;
}

export interface MountedVolume {
  /** The path on the node; undefined for image volumes, which the runtime mounts. */
  readonly hostPath?: string;
  /** For volumeMode Block. */
  readonly device?: boolean;
  readonly image?: ImageSpec;
  readonly readOnly?: boolean;
  /** When the volume must be refreshed, e.g. to renew a token. */
  readonly refreshAt?: number;
  /** Stats from the CSI driver; undefined when it has none. */
  readonly usage?: () => Promise<VolumeUsage | undefined>;
}

export interface VolumePlugin {
  /** The plugin's directory is `kubernetes.io~` and this name. */
  readonly directoryName: string;
  /** Mounts the volume. Called again, refreshes it. */
  mount(request: VolumeRequest): Promise<MountedVolume>;
  /** Unmounts the volume; the volume manager removes the directory. */
  unmount?(request: VolumeRequest): Promise<void>;
}

export class VolumeError extends Error {
  override readonly name = 'VolumeError';
  readonly code = 'volume';
  /** The beginning of the event message, if not MountVolume.SetUp failed. */
  readonly failed: string | undefined;

  constructor(message: string, { failed, ...options }: ErrorOptions & { failed?: string } = {}) {
    super(message, options);
    this.failed = failed;
  }
}

/** The node cannot have another volume of the driver, and the driver keeps the limit up to date. */
export class AttachLimitError extends VolumeError {
  readonly driver: string;

  constructor(message: string, driver: string) {
    super(message);
    this.driver = driver;
  }
}
