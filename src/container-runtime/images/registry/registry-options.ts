import type { Socket } from 'node:net';

/** Opens a connection to a registry, a proxy or a token server. */
export type Dial = (address: { readonly host: string; readonly port: number }) => Promise<Socket>;

/** Registry settings of the host: mirrors, TLS, credentials. */
export interface RegistryOptions {
  /** A directory in containerd's certs.d layout: `<host>/hosts.toml`, `<host>/*.crt`, `_default/`. */
  readonly hostsDirectory?: string;
  /** A docker `config.json` with credentials and credential helpers, for pulls without credentials. */
  readonly dockerConfig?: string;
  /** Registries by host, as in image references, `_default` for all others; they override `hostsDirectory`. */
  readonly hosts?: Readonly<Record<string, RegistryHosts>>;
  /** The idle timeout of requests to registries; default a minute. */
  readonly idleTimeoutMs?: number;
  /** Default: from the network of the process. */
  readonly dial?: Dial;
}

export interface RegistryHosts {
  /** The server to use after the mirrors; default the registry itself. */
  readonly server?: string;
  /** Tried in this order. */
  readonly mirrors?: readonly RegistryEndpoint[];
  /** TLS and headers of the registry itself. */
  readonly settings?: EndpointSettings;
}

export interface RegistryEndpoint extends EndpointSettings {
  /** `https://host[:port][/path]`, or `http://` for a plain one. */
  readonly url: string;
  /** The URL's path replaces `/v2`. */
  readonly overridePath?: boolean;
  /** Default: both. */
  readonly capabilities?: readonly ('pull' | 'resolve')[];
}

export interface EndpointSettings {
  /** PEM text of CAs to trust in addition to the system's. */
  readonly ca?: readonly string[];
  readonly clientCertificates?: readonly { readonly certificate: string; readonly key: string }[];
  readonly skipVerify?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Plain HTTP for a host that is not on loopback. */
  readonly plainHttp?: boolean;
}
