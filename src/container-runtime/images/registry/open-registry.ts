/** The client of a reference's repository, with the endpoints and the credentials that the settings name. */
import type { AuthConfig } from '../../../cri/index.ts';
import type { Context } from '../../../kernel/index.ts';
import type { ImageReference } from '../reference.ts';
import { fromAuthConfig, fromDockerConfig, type Credentials } from './credentials.ts';
import { endpointsOf } from './endpoints.ts';
import { RegistryClient } from './registry-client.ts';
import type { RegistryOptions } from './registry-options.ts';

export interface RegistryAccess {
  readonly auth?: AuthConfig;
  /** A docker `config.json` with credentials, instead of that of the registry settings. */
  readonly dockerConfig?: string;
}

interface OpenOptions {
  readonly registries: RegistryOptions;
  readonly access: RegistryAccess;
  readonly signal: AbortSignal;
  readonly actions?: 'pull' | 'pull,push';
}

export async function openRegistry(
  { clock }: Pick<Context, 'clock'>,
  { domain, path }: ImageReference,
  { registries, access, signal, actions = 'pull' }: OpenOptions,
): Promise<RegistryClient> {
  const { idleTimeoutMs, dial } = registries;
  const dockerConfig = access.dockerConfig ?? registries.dockerConfig;
  let credentials: Promise<Credentials | undefined> | undefined;
  const find = async (): Promise<Credentials | undefined> => {
    const fromRequest = fromAuthConfig(access.auth, domain);
    if (fromRequest !== undefined || dockerConfig === undefined) return fromRequest;
    return fromDockerConfig(dockerConfig, domain, signal);
  };
  return new RegistryClient({
    clock,
    endpoints: await endpointsOf(domain, registries),
    domain,
    path,
    actions,
    credentials: () => (credentials ??= find()),
    signal,
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    ...(dial === undefined ? {} : { dial }),
  });
}
