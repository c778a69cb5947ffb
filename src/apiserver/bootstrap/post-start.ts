/** The post-start hooks that create missing bootstrap objects at each start of the server, and update outdated ones. */
import os from 'node:os';
import type { Lease } from '../../api/generated/coordination-v1.ts';
import type { ConfigMap } from '../../api/generated/core-v1.ts';
import { apiVersionOf } from '../../api/index.ts';
import { formatMicroTime, formatTime } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import { featureEnabled, type KubeObject } from '../../machinery/index.ts';
import type { PostStartHooks } from '../health/post-start-hooks.ts';
import type { Registry } from '../registry/registry.ts';
import type { Loopback } from '../request/loopback.ts';
import { keepAuthenticationInfo } from './authentication-info.ts';
import { extensionAuthenticationConfigMap } from './config-maps.ts';
import { EndpointReconciler, type ServerLeases } from './endpoint-reconciler.ts';
import { startIdentityLeaseGc } from './identity-lease-gc.ts';
import {
  allClusterRoleBindings,
  allClusterRoles,
  flowSchemas,
  identityLease,
  kubernetesService,
  legacyTokenTrackingConfigMap,
  localAPIServices,
  namespacedRoleBindings,
  namespacedRoles,
  namespaces,
  priorityClasses,
  priorityLevels,
  reconcileBinding,
  reconcileFlowControl,
  reconcileRole,
  serviceCIDR,
  type Reconciliation,
} from './index.ts';
import { startLeaderElectionController } from './leader-election-controller.ts';

/** The CAs of clients and of front proxies, which may change. */
interface AuthenticationCas {
  readonly ca: { readonly certificate: string };
  readonly frontProxyCa: { readonly certificate: string };
  onRenew?(listener: () => void): void;
}

interface BootstrapOptions {
  /** Where other servers may write to the store, too. */
  readonly leases: ServerLeases | undefined;
  readonly advertiseAddress: string;
  readonly identity: ServerIdentityOptions | undefined;
  /** Feature gates that differ from their defaults. */
  readonly featureGates?: Readonly<Record<string, boolean>> | undefined;
  readonly port: number;
  readonly stopping?: AbortSignal;
  readonly serviceClusterIpRange: string;
  readonly endpointReconciler?: 'lease' | 'none';
  readonly kubernetesServiceNodePort?: number;
  readonly pki: AuthenticationCas;
  readonly requestHeaders: {
    readonly allowedNames: readonly string[];
    readonly usernameHeaders: readonly string[];
    readonly groupHeaders: readonly string[];
    readonly extraHeaderPrefixes: readonly string[];
  };
}

export interface ServerIdentityOptions {
  /** The name of the server's machine; by default that of this one. */
  readonly hostname?: string;
  /** How often the server renews its identity Lease. */
  readonly renewIntervalMs?: number;
}

export async function bootstrapObjects(
  ctx: Context,
  registry: Registry,
  loopback: Loopback,
  hooks: PostStartHooks,
  options: BootstrapOptions,
): Promise<void> {
  const { leases, advertiseAddress: address, port, stopping, serviceClusterIpRange } = options;
  const { endpointReconciler = 'lease', kubernetesServiceNodePort } = options;
  const writer = new BootstrapWriter(registry, loopback);
  const day = formatTime(ctx.clock.now()).slice(0, 10);
  const existing = (object: KubeObject): KubeObject | undefined => writer.existing(object);
  const endpoints = new EndpointReconciler(ctx, { leases, loopback, existing, address, port, stopping });
  const identityLeases = registry.require('coordination.k8s.io', 'v1', 'leases').cache;
  const listLeases = (): (Lease & KubeObject)[] => identityLeases.list('kube-system').map(({ object }) => object);
  // The objects of the others are in these namespaces, and the Service needs the range.
  await Promise.all([
    hooks.run('start-system-namespaces-controller', () => keepSystemNamespaces(ctx, writer)),
    hooks.run('start-kubernetes-service-cidr-controller', () =>
      writer.ensure([serviceCIDR(serviceClusterIpRange.split(','))]),
    ),
  ]);
  await Promise.all([
    hooks.run('rbac/bootstrap-roles', () =>
      Promise.all([
        writer.reconcile(allClusterRoles(options.featureGates), reconcileRole),
        writer.reconcile(allClusterRoleBindings(options.featureGates), reconcileBinding),
        writer.reconcile(namespacedRoles(), reconcileRole),
        writer.reconcile(namespacedRoleBindings(), reconcileBinding),
      ]),
    ),
    hooks.run('priority-and-fairness-config-producer', () =>
      Promise.all([
        writer.reconcile(priorityLevels(), reconcileFlowControl),
        writer.reconcile(flowSchemas(), reconcileFlowControl),
      ]),
    ),
    hooks.run('start-kube-apiserver-identity-lease-controller', () => keepIdentityLease(ctx, writer, options)),
    hooks.run('start-kube-apiserver-identity-lease-garbage-collector', () =>
      startIdentityLeaseGc(ctx, loopback, listLeases),
    ),
    ...(featureEnabled('CoordinatedLeaderElection', options.featureGates)
      ? [
          hooks.run('start-kube-apiserver-coordinated-leader-election-controller', () =>
            startLeaderElectionController(ctx, registry, loopback),
          ),
        ]
      : []),
    hooks.run('peer-endpoint-reconciler-controller', async () => {
      if (endpointReconciler !== 'none') await endpoints.start();
    }),
    hooks.run('bootstrap-controller', () =>
      writer.ensure([kubernetesService(firstAddress(serviceClusterIpRange), port, kubernetesServiceNodePort)]),
    ),
    hooks.run('scheduling/bootstrap-system-priority-classes', () => writer.ensure(priorityClasses())),
    writer.ensure(
      localAPIServices(formatTime(ctx.clock.now()), (group, version) => registry.hasGroupVersion(group, version)),
    ),
    hooks.run('start-legacy-token-tracking-controller', () => writer.ensure([legacyTokenTrackingConfigMap(day)])),
    hooks.run('start-cluster-authentication-info-controller', () => keepRequestAuthentication(ctx, writer, options)),
  ]);
}

const keepRequestAuthentication = (
  ctx: Context,
  writer: BootstrapWriter,
  { pki, requestHeaders }: BootstrapOptions,
): Promise<void> =>
  keepAuthenticationInfo(ctx, {
    required: () => ({
      clientCA: pki.ca.certificate,
      requestHeader: {
        clientCA: pki.frontProxyCa.certificate,
        allowedNames: requestHeaders.allowedNames,
        usernameHeaders: requestHeaders.usernameHeaders,
        groupHeaders: requestHeaders.groupHeaders,
        extraHeadersPrefix: requestHeaders.extraHeaderPrefixes,
      },
    }),
    existing: () => writer.existing(extensionAuthenticationConfigMap({})) as ConfigMap | undefined,
    write: (object) => writer.overwrite([object]),
    onRenew: (listener) => pki.onRenew?.(listener),
  });

/** How often deleted system namespaces are looked for. */
const NAMESPACES_INTERVAL_MS = 60_000;

async function keepSystemNamespaces(ctx: Context, writer: BootstrapWriter): Promise<void> {
  await writer.ensure(namespaces());
  const timer = ctx.clock.every(NAMESPACES_INTERVAL_MS, () => {
    writer.ensure(namespaces()).catch((error: unknown) => {
      if (!ctx.signal.aborted) ctx.logger.error(error, 'Could not create the system namespaces');
    });
  });
  ctx.signal.addEventListener('abort', () => timer.cancel(), { once: true });
}

/** How often a server renews its identity Lease; a single server has no peers that need it. */
const RENEW_INTERVAL_MS = { shared: 10_000, alone: 1_200_000 };

async function keepIdentityLease(ctx: Context, writer: BootstrapWriter, options: BootstrapOptions): Promise<void> {
  const { leases, advertiseAddress, port } = options;
  const identity = {
    hostname: options.identity?.hostname ?? os.hostname(),
    uid: ctx.random.uid(),
    advertiseAddress: `${advertiseAddress}:${port}`,
  };
  const renew = (): Promise<void> => writer.overwrite([identityLease(identity, formatMicroTime(ctx.clock.now()))]);
  await renew();
  const interval = options.identity?.renewIntervalMs ?? RENEW_INTERVAL_MS[leases ? 'shared' : 'alone'];
  const timer = ctx.clock.every(interval, () => {
    renew().catch((error: unknown) => {
      if (!ctx.signal.aborted) ctx.logger.error(error, 'Could not renew the identity Lease of this API server');
    });
  });
  ctx.signal.addEventListener('abort', () => timer.cancel(), { once: true });
}

const MAX_ATTEMPTS = 5;

class BootstrapWriter {
  readonly #registry: Registry;
  readonly #loopback: Loopback;
  readonly #kinds = new Map<string, ReturnType<Registry['require']>>();

  constructor(registry: Registry, loopback: Loopback) {
    this.#registry = registry;
    this.#loopback = loopback;
  }

  async ensure(objects: readonly KubeObject[]): Promise<void> {
    await Promise.all(objects.map(async (object) => !this.existing(object) && this.#create(object)));
  }

  async overwrite(objects: readonly KubeObject[]): Promise<void> {
    await Promise.all(objects.map((object) => this.#replace(object, this.existing(object), MAX_ATTEMPTS)));
  }

  /** Another writer, such as the garbage collector of Leases, may change or delete the object meanwhile. */
  async #replace(object: KubeObject, existing: KubeObject | undefined, attempts: number): Promise<void> {
    if (!existing) return this.#create(object);
    const { labels, annotations } = object.metadata;
    const path = this.#path(object, object.metadata.name);
    try {
      await this.#loopback('PUT', path, {
        ...object,
        metadata: { ...existing.metadata, labels, annotations },
      } as KubeObject);
    } catch (error) {
      const isRace = isStatusError(error, 'Conflict') || isStatusError(error, 'NotFound');
      if (!isRace || attempts <= 1) throw error;
      const current = await this.#loopback('GET', path).catch((failure: unknown) => {
        if (isStatusError(failure, 'NotFound')) return undefined;
        throw failure;
      });
      await this.#replace(object, current, attempts - 1);
    }
  }

  async reconcile<T extends KubeObject>(
    objects: readonly T[],
    decide: (existing: T | undefined, desired: T) => Reconciliation<T>,
  ): Promise<void> {
    await Promise.all(
      objects.map(async (desired) => {
        const decision = decide(this.existing(desired) as T | undefined, desired);
        if (decision.action === 'none') return;
        const path = this.#path(desired, desired.metadata.name);
        if (decision.action === 'recreate') await this.#loopback('DELETE', path);
        if (decision.action === 'update') await this.#loopback('PUT', path, decision.object);
        else await this.#create(decision.object);
      }),
    );
  }

  /** Another server may create the object first. */
  async #create(object: KubeObject): Promise<void> {
    try {
      await this.#loopback('POST', this.#path(object, undefined), object);
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error;
    }
  }

  existing(object: KubeObject): KubeObject | undefined {
    const served = this.#served(object);
    return served.cache.get(object.metadata.namespace ?? '', object.metadata.name!)?.object;
  }

  #path(object: KubeObject, name: string | undefined): string {
    const { group, version, plural } = this.#served(object);
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const namespace = object.metadata.namespace ? `/namespaces/${object.metadata.namespace}` : '';
    return `${root}${namespace}/${plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
  }

  #served(object: KubeObject): ReturnType<Registry['require']> {
    const key = `${object.apiVersion} ${object.kind}`;
    const known = this.#kinds.get(key);
    if (known) return known;
    const served = this.#registry.all().find((s) => s.kind === object.kind && apiVersionOf(s) === object.apiVersion);
    if (served) {
      this.#kinds.set(key, served);
      return served;
    }
    throw new Error(`${object.apiVersion} ${object.kind} is not served`);
  }
}

/** The cluster IP of the Service `kubernetes` is the first address of the first range. */
function firstAddress(range: string): string {
  const [address = ''] = range.split(',')[0]!.split('/');
  if (address.includes(':')) return address.endsWith('::') ? `${address}1` : address;
  const parts = address.split('.').map(Number);
  parts[3]! += 1;
  return parts.join('.');
}
