/** Types of OCI and Docker image documents: descriptor, manifest, index and config. */

export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
}

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: Platform & { readonly 'os.version'?: string; readonly 'os.features'?: readonly string[] };
  readonly annotations?: Readonly<Record<string, string>>;
  readonly urls?: readonly string[];
}

export interface Manifest {
  readonly schemaVersion: 2;
  readonly mediaType?: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface ImageIndex {
  readonly schemaVersion: 2;
  readonly mediaType?: string;
  readonly manifests: readonly Descriptor[];
}

/** The image config; `config` has the defaults of the container's process. */
export interface ImageConfig {
  readonly architecture?: string;
  readonly os?: string;
  readonly variant?: string;
  readonly created?: string;
  readonly author?: string;
  readonly config?: ProcessDefaults;
  readonly rootfs: { readonly type: string; readonly diff_ids: readonly string[] };
  readonly history?: readonly Readonly<Record<string, unknown>>[];
}

export interface ProcessDefaults {
  readonly User?: string;
  readonly ExposedPorts?: Readonly<Record<string, object>> | null;
  readonly Env?: readonly string[] | null;
  readonly Entrypoint?: readonly string[] | null;
  readonly Cmd?: readonly string[] | null;
  readonly Volumes?: Readonly<Record<string, object>> | null;
  readonly WorkingDir?: string;
  readonly Labels?: Readonly<Record<string, string>> | null;
  readonly StopSignal?: string;
  readonly ArgsEscaped?: boolean;
}
