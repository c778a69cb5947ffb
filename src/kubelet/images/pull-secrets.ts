/** The credentials in a pod's image pull secrets that fit an image, most specific first. */
import type { Secret } from '../../api/generated/core-v1.ts';
import type { AuthConfig } from '../../cri/index.ts';
import { parseImage } from './image-reference.ts';

interface DockerAuth {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly identitytoken?: string;
  readonly registrytoken?: string;
}

export function credentialsFor(image: string, secrets: readonly Secret[]): AuthConfig[] {
  const { domain, path } = parseImage(image);
  const found: { readonly specificity: number; readonly auth: AuthConfig }[] = [];
  for (const secret of secrets) {
    for (const [registry, entry] of Object.entries(authsOf(secret))) {
      const specificity = matchRegistry(registry, domain, path);
      if (specificity !== undefined) found.push({ specificity, auth: toAuth(entry, domain) });
    }
  }
  return found.toSorted((a, b) => b.specificity - a.specificity).map(({ auth }) => auth);
}

function authsOf({ type, data = {} }: Secret): Record<string, DockerAuth> {
  try {
    if (type === 'kubernetes.io/dockerconfigjson') return (JSON.parse(decode(data['.dockerconfigjson'])) as { auths?: Record<string, DockerAuth> }).auths ?? {};
    if (type === 'kubernetes.io/dockercfg') return JSON.parse(decode(data['.dockercfg'])) as Record<string, DockerAuth>;
  } catch {
    // A secret that cannot be read has nothing to offer; the pull says what is missing.
  }
  return {};
}

const decode = (base64: string | undefined): string => Buffer.from(base64 ?? '', 'base64').toString();

/** How well `https://index.docker.io/v1/`, `*.example.com` or `host:5000/team` fits the image; undefined when it does not. */
function matchRegistry(registry: string, domain: string, path: string): number | undefined {
  const [host = '', ...rest] = registry.replace(/^https?:\/\//, '').split('/');
  const prefix = rest.join('/').replace(/\/$/, '');
  const scope = /^v[12]$/.test(prefix) ? '' : prefix;
  if (!matchHost(host, domain)) return undefined;
  if (scope !== '' && path !== scope && !path.startsWith(`${scope}/`)) return undefined;
  return scope.length + (host.includes('*') ? 0 : 1);
}

function matchHost(pattern: string, domain: string): boolean {
  const aliases = ['docker.io', 'index.docker.io', 'registry-1.docker.io'];
  if (pattern === domain || (aliases.includes(pattern) && aliases.includes(domain))) return true;
  const [patternHost = '', patternPort] = pattern.split(':');
  const [host = '', port] = domain.split(':');
  if (patternPort !== port) return false;
  const wanted = patternHost.split('.');
  const actual = host.split('.');
  return wanted.length === actual.length && wanted.every((part, i) => new RegExp(`^${part.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^.]*')}$`).test(actual[i] ?? ''));
}

function toAuth(entry: DockerAuth, domain: string): AuthConfig {
  let { username = '', password = '' } = entry;
  if (username === '' && entry.auth) {
    const text = decode(entry.auth);
    const colon = text.indexOf(':');
    username = text.slice(0, colon);
    password = text.slice(colon + 1).replace(/\0+$/, '');
  }
  return {
    username,
    password,
    serverAddress: domain,
    ...(entry.identitytoken === undefined ? {} : { identityToken: entry.identitytoken }),
    ...(entry.registrytoken === undefined ? {} : { registryToken: entry.registrytoken }),
  };
}
