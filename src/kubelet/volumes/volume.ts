/** What every kind of volume is given, and what it gives. */
import type { Pod, Volume } from '../../api/generated/core-v1.ts';
import type { Client } from '../../client/index.ts';
import type { ImageSpec } from '../../cri/index.ts';
import type { Clock, Logger } from '../../kernel/index.ts';
import type { PodFacts } from '../environment/field-value.ts';
import type { CsiDrivers, VolumeUsage } from './csi/csi-drivers.ts';
import type { Mounter } from './mounter.ts';
import type { TokenManager } from './token-manager.ts';
import type { WatchBasedManager } from './watch-based-manager.ts';

/** What volumes of all kinds work with. */
export interface VolumeHost {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mounter: Mounter;
  readonly nodeName: string;
  /** `--root-dir`. */
  readonly rootDirectory: string;
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
  /** Aborts when nobody waits for the volume any more. */
  readonly signal?: AbortSignal;
}

export interface MountedVolume {
  /** Where its content is on the node; absent for images, which the runtime mounts. */
  readonly hostPath?: string;
  /** Set for volumes of mode Block. */
  readonly device?: boolean;
  readonly image?: ImageSpec;
  readonly readOnly?: boolean;
  /** When what is in it must be looked at again although nobody said that it changed, as tokens must. */
  readonly refreshAt?: number;
  /** For volumes whose driver alone knows what is in them; undefined where it does not tell. */
  readonly usage?: () => Promise<VolumeUsage | undefined>;
}

export interface VolumePlugin {
  /** The middle of the directory's name, after `kubernetes.io~`. */
  readonly directoryName: string;
  /** Makes the volume ready; called again, brings it up to date. */
  mount(request: VolumeRequest): Promise<MountedVolume>;
  /** Undoes `mount`; the manager removes what is left of the directory. */
  unmount?(request: VolumeRequest): Promise<void>;
}

export class VolumeError extends Error {
  override readonly name = 'VolumeError';
  readonly code = 'volume';
  /** What failed, and of which volume, where it is not that it could not be set up. */
  readonly failed: string | undefined;

  constructor(message: string, { failed, ...options }: ErrorOptions & { failed?: string } = {}) {
    super(message, options);
    this.failed = failed;
  }
}
