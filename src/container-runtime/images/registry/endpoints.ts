/** The endpoints of a registry in order: its mirrors, then the registry itself. */
import { isIP } from 'node:net';
import { readHostsDirectory } from './hosts-directory.ts';
import type { EndpointSettings, RegistryHosts, RegistryOptions } from './registry-options.ts';

export interface Endpoint {
  /** The URL before `/<repository>/manifests/…`, without a slash at the end. */
  readonly base: string;
  readonly settings: EndpointSettings;
  readonly capabilities: readonly ('pull' | 'resolve')[];
  /** A mirror gets the registry's name as `ns` and none of its credentials. */
  readonly isMirror: boolean;
  /** Falls back to plain HTTP if the server does not speak TLS; only on loopback and without TLS settings. */
  readonly mayFallBack: boolean;
}

const HUB = 'docker.io';
const HUB_SERVER = 'registry-1.docker.io';
const ALL = ['pull', 'resolve'] as const;

export async function endpointsOf(domain: string, options: RegistryOptions = {}): Promise<Endpoint[]> {
  const configured = await configuredHosts(domain, options);
  const mirrors = (configured?.mirrors ?? []).map((mirror): Endpoint => {
    const { url, overridePath, capabilities = ALL, ...settings } = mirror;
    return endpoint(url, { settings, capabilities, isMirror: true, overridePath: overridePath === true });
  });
  const settings = configured?.settings ?? {};
  if (configured?.server !== undefined) {
    const isMirror = new URL(configured.server).host !== serverOf(domain);
    return [
      ...mirrors,
      endpoint(configured.server, { settings: { plainHttp: true, ...settings }, capabilities: ALL, isMirror }),
    ];
  }
  const itself = endpoint(`https://${serverOf(domain)}`, { settings, capabilities: ALL, isMirror: false });
  const hasTls = settings.ca !== undefined || settings.clientCertificates !== undefined;
  const mayFallBack = settings.plainHttp === true || (isLoopback(new URL(itself.base).hostname) && !hasTls);
  return [...mirrors, { ...itself, mayFallBack }];
}

function serverOf(domain: string): string {
  return domain === HUB ? HUB_SERVER : domain;
}

export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return isIP(host) === 4 ? host.startsWith('127.') : host === '::1';
}

async function configuredHosts(domain: string, options: RegistryOptions): Promise<RegistryHosts | undefined> {
  const inCode = options.hosts?.[domain] ?? options.hosts?.['_default'];
  if (inCode !== undefined) return inCode;
  return options.hostsDirectory === undefined ? undefined : readHostsDirectory(options.hostsDirectory, domain);
}

function endpoint(
  url: string,
  { overridePath, ...rest }: Pick<Endpoint, 'settings' | 'capabilities' | 'isMirror'> & { overridePath?: boolean },
): Endpoint {
  const parsed = new URL(url);
  const path = parsed.pathname.replace(/(?<!\/)\/+$/, '');
  const withVersion = overridePath === true || path.endsWith('/v2') ? path : `${path}/v2`;
  return { base: `${parsed.protocol}//${parsed.host}${withVersion}`, mayFallBack: false, ...rest };
}
