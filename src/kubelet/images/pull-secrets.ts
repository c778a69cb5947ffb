/** Registry credentials for an image from a pod's imagePullSecrets, the most specific first. */
import type { Secret } from '../../api/generated/core-v1.ts';
import type { AuthConfig } from '../../cri/index.ts';
import { parseImage } from './image-reference.ts';
import { matchRegistry } from './match-registry.ts';

interface DockerAuth {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly identitytoken?: string;
  readonly registrytoken?: string;
}

export function credentialsFor(image: string, secrets: readonly Secret[]): AuthConfig[] {
  const { domain } = parseImage(image);
  const found: { readonly specificity: number; readonly auth: AuthConfig }[] = [];
  for (const secret of secrets) {
    for (const [registry, entry] of Object.entries(authsOf(secret))) {
      const specificity = matchRegistry(registry, image);
      if (specificity !== undefined) found.push({ specificity, auth: toAuth(entry, domain) });
    }
  }
  return found.toSorted((a, b) => b.specificity - a.specificity).map(({ auth }) => auth);
}

function authsOf({ type, data = {} }: Secret): Record<string, DockerAuth> {
  try {
    if (type === 'kubernetes.io/dockerconfigjson')
      return (JSON.parse(decode(data['.dockerconfigjson'])) as { auths?: Record<string, DockerAuth> }).auths ?? {};
    if (type === 'kubernetes.io/dockercfg') return JSON.parse(decode(data['.dockercfg'])) as Record<string, DockerAuth>;
  } catch {
    // A malformed secret is skipped; the pull then fails with the registry's message.
  }
  return {};
}

const decode = (base64: string | undefined): string => Buffer.from(base64 ?? '', 'base64').toString();

function toAuth(entry: DockerAuth, domain: string): AuthConfig {
  let { username = '', password = '' } = entry;
  if (username === '' && entry.auth) {
    const text = decode(entry.auth);
    const colon = text.indexOf(':');
    username = text.slice(0, colon);
    password = text.slice(colon + 1).replace(/(?<!\0)\0+$/, '');
  }
  return {
    username,
    password,
    serverAddress: domain,
    ...(entry.identitytoken === undefined ? {} : { identityToken: entry.identitytoken }),
    ...(entry.registrytoken === undefined ? {} : { registryToken: entry.registrytoken }),
  };
}
