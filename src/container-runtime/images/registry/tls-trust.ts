/**
 * Whom we believe that he is the registry. Loading a hundred certificates takes tens of milliseconds of the thread that
 * everything else runs on: so the few that are configured are tried first, then Node's own, which are loaded anyway, and
 * only then the machine's list, where companies put their authorities.
 */
import { existsSync, readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { EndpointSettings } from './registry-options.ts';

export interface TlsTrust {
  readonly secureContext: SecureContext;
  /** Connections are kept for as long as it is known by whom they were verified. */
  readonly agent: Agent;
}

const SYSTEM_LISTS = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem'];

const UNKNOWN_AUTHORITY = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_UNTRUSTED',
]);

type TrustFactory = () => TlsTrust | undefined;

const nodes = once(() => trust({}));
const systems = once(() => {
  const list = SYSTEM_LISTS.find((path) => existsSync(path));
  return list === undefined ? undefined : trust({ ca: readFileSync(list) });
});

interface Candidates {
  readonly factories: readonly TrustFactory[];
  /** The one that worked last. */
  first: number;
}

const shared: Candidates = { factories: [nodes, systems], first: 0 };
const bySettings = new WeakMap<EndpointSettings, Candidates>();

/** Calls with one trust after the other until the server's authority is known. */
export async function withTrust<Result>(settings: EndpointSettings, connect: (trust: TlsTrust) => Promise<Result>): Promise<Result> {
  const candidates = candidatesOf(settings);
  let failure: unknown;
  for (let index = candidates.first; index < candidates.factories.length; index++) {
    const candidate = candidates.factories[index]?.();
    if (candidate === undefined) continue;
    try {
      const result = await connect(candidate);
      candidates.first = index;
      return result;
    } catch (error) {
      failure = error;
      if (!isUnknownAuthority(error)) break;
    }
  }
  candidates.first = 0;
  throw failure instanceof Error ? failure : new Error('there is no authority to trust');
}

function candidatesOf(settings: EndpointSettings): Candidates {
  const [client] = settings.clientCertificates ?? [];
  if (settings.ca === undefined && client === undefined) return shared;
  let candidates = bySettings.get(settings);
  if (candidates === undefined) {
    const own: SecureContextOptions = client === undefined ? {} : { cert: client.certificate, key: client.key };
    const ca = settings.ca === undefined ? [] : [once(() => trust({ ...own, ca: [...(settings.ca ?? [])] }))];
    const others = client === undefined ? [nodes, systems] : [once(() => trust(own))];
    candidates = { factories: [...ca, ...others], first: 0 };
    bySettings.set(settings, candidates);
  }
  return candidates;
}

function trust(options: SecureContextOptions): TlsTrust {
  const secureContext = createSecureContext(options);
  return { secureContext, agent: new Agent({ keepAlive: true, maxFreeSockets: 4, secureContext }) };
}

function isUnknownAuthority(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && UNKNOWN_AUTHORITY.has(error.code);
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
