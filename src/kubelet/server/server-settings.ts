/** `authentication` and `authorization` of KubeletConfiguration, with their defaults. */
import { isRecord, parseDuration } from '../../base/index.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import type { AuthenticationSettings } from './authenticate.ts';
import type { AuthorizationSettings } from './authorize.ts';

const MINUTE = 60_000;

function at(value: unknown, ...names: readonly string[]): unknown {
  let current = value;
  for (const name of names) current = isRecord(current) ? current[name] : undefined;
  return current;
}

const duration = (value: unknown, otherwise: number): number =>
  typeof value === 'string' ? parseDuration(value) : otherwise;

export function authenticationSettings({ authentication }: KubeletConfig): Omit<AuthenticationSettings, 'clientCa'> {
  return {
    anonymous: at(authentication, 'anonymous', 'enabled') === true,
    webhook: at(authentication, 'webhook', 'enabled') !== false,
    cacheMs: duration(at(authentication, 'webhook', 'cacheTTL'), 2 * MINUTE),
  };
}

export function authorizationSettings({ authorization, nodeName }: KubeletConfig): AuthorizationSettings {
  const mode = at(authorization, 'mode');
  return {
    mode: typeof mode === 'string' ? mode : 'Webhook',
    allowedCacheMs: duration(at(authorization, 'webhook', 'cacheAuthorizedTTL'), 5 * MINUTE),
    deniedCacheMs: duration(at(authorization, 'webhook', 'cacheUnauthorizedTTL'), 30_000),
    nodeName,
  };
}

/** `authentication.x509.clientCAFile`. */
export function clientCaFile({ authentication }: Pick<KubeletConfig, 'authentication'>): string | undefined {
  const file = at(authentication, 'x509', 'clientCAFile');
  return typeof file === 'string' && file !== '' ? file : undefined;
}
