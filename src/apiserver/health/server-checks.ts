/** The health checks of the API server, in upstream's order. */
import { X509Certificate } from 'node:crypto';
import type { APIService } from '../../api/generated/apiregistration-v1.ts';
import type { HealthCheck } from '../../component-server/index.ts';
import type { Store } from '../../etcd/index.ts';
import type { Context } from '../../kernel/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { etcdChecks } from './etcd-checks.ts';
import type { PostStartHooks } from './post-start-hooks.ts';

interface ServerCheckOptions {
  readonly ctx: Pick<Context, 'clock' | 'logger' | 'signal'>;
  readonly store: Pick<Store, 'range' | 'alarms'>;
  /** Whether the watch cache follows the store. */
  readonly cache: { readonly isFollowing: boolean };
  readonly hooks: PostStartHooks;
  /** PEM. */
  readonly servingCertificate: () => string;
  readonly apiServices: { get(namespace: string, name: string): { readonly object: KubeObject } | undefined };
  /** The names of the APIServices that the server registers at its start. */
  readonly localApiServices: readonly string[];
}

export function serverChecks(options: ServerCheckOptions): HealthCheck[] {
  const { ctx, store, cache, hooks } = options;
  const postStart = hooks.checks;
  const registered = postStart.findIndex(({ name }) => name.endsWith('/kube-apiserver-autoregistration')) + 1;
  return [
    { name: 'ping', check: () => undefined },
    { name: 'log', check: () => (ctx.logger.isBlocked ? 'logging blocked' : undefined) },
    loopbackCertificate(options),
    ...etcdChecks(ctx.clock, store),
    {
      name: 'informer-sync',
      endpoints: ['readyz'],
      check: () => (cache.isFollowing ? undefined : 'the watch cache does not follow the store'),
    },
    ...postStart.slice(0, registered),
    autoregisterCompletion(options),
    ...postStart.slice(registered),
    {
      name: 'shutdown',
      endpoints: ['readyz'],
      check: () => (ctx.signal.aborted ? 'process is shutting down' : undefined),
    },
  ];
}

/** The server connects to itself without TLS; this is the certificate for other clients on the machine. */
function loopbackCertificate({ ctx: { clock }, servingCertificate }: ServerCheckOptions): HealthCheck {
  let known: { readonly certificate: string; readonly expiresAt: number } | undefined;
  return {
    name: 'loopback-serving-certificate',
    endpoints: ['healthz', 'livez'],
    check: () => {
      const certificate = servingCertificate();
      if (known?.certificate !== certificate)
        known = { certificate, expiresAt: Date.parse(new X509Certificate(certificate).validTo) };
      return clock.now() > known.expiresAt ? 'loopback serving certificate is expired' : undefined;
    },
  };
}

/** Passes once each APIService of the server has been available: what happens to them later is their own condition. */
function autoregisterCompletion({ apiServices, localApiServices }: ServerCheckOptions): HealthCheck {
  const pending = new Set(localApiServices);
  return {
    name: 'autoregister-completion',
    check: () => {
      for (const name of pending) {
        const { status } = (apiServices.get('', name)?.object ?? {}) as APIService;
        if (status?.conditions?.some(({ type, status: is }) => type === 'Available' && is === 'True'))
          pending.delete(name);
      }
      return pending.size === 0 ? undefined : `missing APIService: [${[...pending].sort().join(' ')}]`;
    },
  };
}
