/** How registries are reached; what a machine's administrator decides. */
export interface RegistryOptions {
  /** A folder laid out as containerd's certs.d: `<host>/hosts.toml`, `<host>/*.crt`, `_default/`. */
  readonly hostsDirectory?: string;
  /** A docker `config.json` with credentials and credential helpers, for pulls that bring none. */
  readonly dockerConfig?: string;
  /** Registries in code; they go before those of `hostsDirectory`. The key is a host as references spell it. */
  readonly hosts?: Readonly<Record<string, RegistryHosts>>;
  /** Milliseconds for which a registry may send nothing before it is given up; default a minute. */
  readonly idleTimeoutMs?: number;
}

export interface RegistryHosts {
  /** Where to go when no mirror answers; default: the registry itself. */
  readonly server?: string;
  /** Tried in this order. */
  readonly mirrors?: readonly RegistryEndpoint[];
  /** TLS and headers of the registry itself. */
  readonly settings?: EndpointSettings;
}

export interface RegistryEndpoint extends EndpointSettings {
  /** `https://host[:port][/path]`, or `http://` for a plain one. */
  readonly url: string;
  /** The URL's path already stands for `/v2`. */
  readonly overridePath?: boolean;
  /** Default: both. */
  readonly capabilities?: readonly ('pull' | 'resolve')[];
}

export interface EndpointSettings {
  /** PEM text of certificate authorities to trust besides the system's. */
  readonly ca?: readonly string[];
  readonly clientCertificates?: readonly { readonly certificate: string; readonly key: string }[];
  readonly skipVerify?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Plain HTTP for a host that is not on loopback. */
  readonly plainHttp?: boolean;
}
