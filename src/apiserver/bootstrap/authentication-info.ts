/**
 * The ConfigMap extension-apiserver-authentication: with it, other components authenticate client certificates and requests that
 * this server proxies. It has what every API server of the cluster accepts, so a server adds its CAs and headers to those that
 * are there, and removes expired CAs only.
 */
import type { ConfigMap } from '../../api/generated/core-v1.ts';
import { pemBlocks } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import { certificatesOfPem } from '../../net/tls/index.ts';
import { extensionAuthenticationConfigMap, type RequestAuthentication } from './config-maps.ts';
import type { Stored } from './stored.ts';

type Data = Readonly<Record<string, string>>;

/** Clocks may differ. */
const EXPIRED_MS = 5 * 60_000;

export function combinedAuthenticationInfo(
  existing: Data,
  { clientCA, requestHeader }: Required<RequestAuthentication>,
  now: number,
): Stored<ConfigMap> {
  const list = (key: string, own: readonly string[]): string[] => [...new Set([...parseList(existing[key]), ...own])];
  const combined = combinedBundle(existing['client-ca-file'], clientCA, now);
  return extensionAuthenticationConfigMap({
    ...(combined === '' ? {} : { clientCA: combined }),
    requestHeader: {
      clientCA: combinedBundle(existing['requestheader-client-ca-file'], requestHeader.clientCA, now),
      allowedNames: list('requestheader-allowed-names', requestHeader.allowedNames),
      usernameHeaders: list('requestheader-username-headers', requestHeader.usernameHeaders),
      groupHeaders: list('requestheader-group-headers', requestHeader.groupHeaders),
      extraHeadersPrefix: list('requestheader-extra-headers-prefix', requestHeader.extraHeadersPrefix),
    },
  });
}

function combinedBundle(existing = '', own: string, now: number): string {
  const certificates = new Set<string>();
  for (const { type, text } of pemBlocks(`${existing}\n${own}`)) {
    const [certificate] = type === 'CERTIFICATE' ? certificatesOfPem(text) : [];
    if (certificate && certificate.notAfter > now - EXPIRED_MS) certificates.add(`${text}\n`);
  }
  return [...certificates].join('');
}

/** Somebody may have written anything. */
function parseList(text = '[]'): string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  } catch {
    return [];
  }
}

/** How often the ConfigMap is checked besides. */
const CHECK_EVERY_MS = 60_000;

interface AuthenticationInfoOptions {
  readonly required: () => Required<RequestAuthentication>;
  readonly existing: () => ConfigMap | undefined;
  readonly write: (object: Stored<ConfigMap>) => Promise<void>;
  /** Calls the listener when the CAs have changed. */
  readonly onRenew: (listener: () => void) => void;
}

export async function keepAuthenticationInfo(
  ctx: Pick<Context, 'clock' | 'logger' | 'signal'>,
  { required, existing, write, onRenew }: AuthenticationInfoOptions,
): Promise<void> {
  const reconcile = async (): Promise<void> => {
    const current = existing();
    const combined = combinedAuthenticationInfo(current?.data ?? {}, required(), ctx.clock.now());
    if (!current || !sameData(current.data ?? {}, combined.data ?? {})) await write(combined);
  };
  const again = (): void =>
    void reconcile().catch((error: unknown) => {
      if (!ctx.signal.aborted) ctx.logger.error(error, 'Could not write the authentication info');
    });
  await reconcile();
  onRenew(again);
  const timer = ctx.clock.every(CHECK_EVERY_MS, again);
  ctx.signal.addEventListener('abort', () => timer.cancel(), { once: true });
}

const sameData = (a: Data, b: Data): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, value]) => b[key] === value);
