/**
 * The DRA manager: DRA drivers register, prepare the ResourceClaims of a pod before it starts, and unprepare them after
 * it has terminated.
 */
import type { Container, EphemeralContainer, Pod, ResourceStatus } from '../../api/generated/core-v1.ts';
import type { ResourceClaim } from '../../api/generated/resource-v1.ts';
import { errorMessage } from '../../base/index.ts';
import { isNotFound, type Client } from '../../client/index.ts';
import { connectGrpc, type GrpcConnection } from '../../grpc/index.ts';
import { childContext, type Context, type Timer } from '../../kernel/index.ts';
import type { PluginRegistry } from '../devices/plugin-registry.ts';
import { NO_RUN_OPTIONS, type RunContainerOptions } from '../pod/container-manager.ts';
import { uidOf } from '../pod/pod-identity.ts';
import { ClaimInfoCache } from './claim-info-cache.ts';
import { devicesFor, type ClaimInfo, type PreparedDevice } from './claim-info.ts';
import {
  descriptor as healthDescriptor,
  PACKAGE as HEALTH_PACKAGE,
  type DRAResourceHealth,
} from './dra-health-v1alpha1.generated.ts';
import { descriptor, PACKAGE, type DRAPlugin } from './dra-v1.generated.ts';
import { descriptor as olderDescriptor, PACKAGE as OLDER_PACKAGE } from './dra-v1beta1.generated.ts';
import { HealthInfoCache, type DeviceName } from './health-info-cache.ts';
import { checkClaim, claimName, containerClaims, usesClaim } from './pod-claims.ts';

/** The supported gRPC services by the versions with which drivers register, the newest first. */
const SERVICES = {
  'v1.DRAPlugin': { package: PACKAGE, descriptor },
  'v1beta1.DRAPlugin': { package: OLDER_PACKAGE, descriptor: olderDescriptor },
} as const;
const CALL_TIMEOUT_MS = 45_000;
const RECONCILE_MS = 60_000;
/** How long the ResourceSlices of a driver stay after it is gone, so that it can be updated. */
const WIPE_DELAY_MS = 30_000;

interface DraManagerOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly rootDirectory: string;
  readonly plugins: PluginRegistry;
  readonly isActive: (podUid: string) => boolean;
  /** The health of a device of the pod has changed. */
  readonly onHealth: (podUid: string) => void;
}

interface Driver {
  readonly connection: GrpcConnection;
  readonly service: DRAPlugin;
  readonly stop: AbortController;
}

/** A claim of a container, with the devices for it. */
interface ContainerClaim {
  readonly name: string;
  readonly namespace: string;
  readonly devices: readonly PreparedDevice[];
}

export class DraManager {
  readonly #ctx: Context;
  readonly #options: DraManagerOptions;
  readonly #claims: ClaimInfoCache;
  readonly #drivers = new Map<string, Driver>();
  readonly #wipes = new Map<string, Timer>();
  readonly #health: HealthInfoCache;
  readonly #healthStreams = new Set<Promise<void>>();
  #pending: Promise<unknown> = Promise.resolve();

  constructor(ctx: Context, options: DraManagerOptions) {
    this.#ctx = childContext(ctx, 'dra');
    this.#options = options;
    this.#claims = new ClaimInfoCache(options.rootDirectory);
    this.#health = new HealthInfoCache(this.#ctx, (devices) => this.#notifyPods(devices));
    options.plugins.handle('DRAPlugin', {
      register: (plugin) => this.#register(plugin),
      deregister: (name) => this.#deregister(name),
    });
  }

  load(): Promise<void> {
    return this.#claims.load();
  }

  /** Deletes ResourceSlices of drivers that are gone, and unprepares claims of pods that are gone. */
  async run(): Promise<void> {
    const { clock, signal } = this.#ctx;
    await this.#wipeSlices(undefined);
    while (!signal.aborted) {
      await clock.sleep(RECONCILE_MS, signal).catch(() => {});
      if (!signal.aborted) await this.reconcile();
    }
    for (const timer of this.#wipes.values()) timer.cancel();
    for (const driver of this.#drivers.values()) close(driver);
    await Promise.all(this.#healthStreams);
  }

  async reconcile(): Promise<void> {
    const gone = new Set(
      this.#claims
        .all()
        .flatMap(({ podUids }) => podUids)
        .filter((uid) => !this.#options.isActive(uid)),
    );
    for (const uid of gone)
      await this.release(uid).catch((error: unknown) =>
        this.#ctx.logger.v(1).info('Unpreparing pod resources in reconcile loop failed, will retry', {
          podUID: uid,
          err: errorMessage(error),
        }),
      );
  }

  /** Prepares the claims of a pod that are not prepared yet. Throws when one cannot be. */
  prepare(pod: Pod): Promise<void> {
    return (pod.spec?.resourceClaims ?? []).length === 0
      ? Promise.resolve()
      : this.#serialize(() => this.#prepare(pod));
  }

  async #prepare(pod: Pod): Promise<void> {
    const uid = uidOf(pod);
    const { namespace = '' } = pod.metadata;
    const waiting: ClaimInfo[] = [];
    for (const entry of pod.spec?.resourceClaims ?? []) {
      const name = claimName(pod, entry);
      if (name === undefined) continue;
      const claim = await this.#options.client
        .resource('resource.k8s.io/v1/resourceclaims')
        .get({ namespace, name }, { signal: this.#ctx.signal })
        .catch((error: unknown) => {
          throw new Error(
            `failed to fetch ResourceClaim ${name} referenced by pod ${pod.metadata.name}: ${errorMessage(error)}`,
          );
        });
      checkClaim(pod, entry, claim);
      if (!usesClaim(pod, entry)) continue;
      const known = this.#claims.get(namespace, name);
      if (known !== undefined && known.uid !== claim.metadata.uid)
        throw new Error(
          `old ResourceClaim with same name ${name} and different UID ${known.uid} still exists (previous pod force-deleted?!)`,
        );
      const info = known ?? newClaimInfo(claim);
      if (!info.podUids.includes(uid)) info.podUids = [...info.podUids, uid];
      this.#claims.set(info);
      if (info.devices === undefined) waiting.push(info);
    }
    // Stored before the call to the driver, so that the claim is unprepared even after a crash.
    await this.#claims.save();
    for (const info of waiting) info.devices = await this.#prepareClaim(info);
    if (waiting.length > 0) await this.#claims.save();
  }

  async #prepareClaim(info: ClaimInfo): Promise<PreparedDevice[]> {
    const devices: PreparedDevice[] = [];
    for (const driver of info.drivers) {
      const { claims = {} } = await this.#driver(driver).nodePrepareResources(
        { claims: [{ namespace: info.namespace, uid: info.uid, name: info.name }] },
        { signal: this.#deadline() },
      );
      const answer = claims[info.uid];
      if (answer === undefined) throw new Error('NodePrepareResources skipped 1 ResourceClaims');
      if (answer.error) throw new Error(`NodePrepareResources failed for ResourceClaim ${info.name}: ${answer.error}`);
      for (const { requestNames = [], poolName = '', deviceName = '', cdiDeviceIds = [], shareId } of answer.devices ??
        []) {
        devices.push({
          driver,
          pool: poolName,
          device: deviceName,
          requests: requestNames,
          cdiDevices: cdiDeviceIds,
          ...(shareId === undefined || shareId === '' ? {} : { shareId }),
        });
      }
    }
    return devices;
  }

  runContainerOptions(pod: Pod, container: Container | EphemeralContainer): RunContainerOptions {
    const cdiDevices = this.claimsOf(pod, container).flatMap(({ devices }) =>
      devices.flatMap((device) => device.cdiDevices),
    );
    return cdiDevices.length === 0 ? NO_RUN_OPTIONS : { ...NO_RUN_OPTIONS, cdiDevices: [...new Set(cdiDevices)] };
  }

  /** Throws when a claim is not prepared. */
  claimsOf(pod: Pod, container: Container | EphemeralContainer): ContainerClaim[] {
    return containerClaims(container).flatMap(({ name, request }): ContainerClaim[] => {
      const entry = pod.spec?.resourceClaims?.find((one) => one.name === name);
      const real = entry === undefined ? undefined : claimName(pod, entry);
      if (real === undefined) return [];
      const info = this.#claims.get(pod.metadata.namespace ?? '', real);
      if (info?.devices === undefined)
        throw new Error(`unable to get resource for namespace: ${pod.metadata.namespace}, claim: ${real}`);
      return [{ name: real, namespace: info.namespace, devices: devicesFor(info, request) }];
    });
  }

  /** The devices of the container's claims and their health, for `allocatedResourcesStatus` of its status. */
  allocatedResourcesStatus(pod: Pod, container: Container): ResourceStatus[] {
    if (this.#claims.of(uidOf(pod)).length === 0) return [];
    return containerClaims(container).flatMap(({ name, request }): ResourceStatus[] => {
      const entry = pod.spec?.resourceClaims?.find((one) => one.name === name);
      const real =
        entry?.resourceClaimName ??
        pod.status?.resourceClaimStatuses?.find((one) => one.name === name)?.resourceClaimName;
      const info = real === undefined ? undefined : this.#claims.get(pod.metadata.namespace ?? '', real);
      const devices = info === undefined ? [] : devicesFor(info, request);
      if (devices.length === 0) return [];
      const resources = devices.map(({ driver, pool, device, cdiDevices }) => {
        const { health, message } = this.#health.of({ driver, pool, device });
        return {
          resourceID: cdiDevices[0] ?? `${driver}/${pool}/${device}`,
          health,
          ...(message === '' ? {} : { message }),
        };
      });
      return [
        {
          name: `claim:${name}${request === undefined || request === '' ? '' : `/${request}`}`,
          resources: [...new Map(resources.map((one) => [one.resourceID, one])).values()],
        },
      ];
    });
  }

  #notifyPods(changed: readonly DeviceName[]): void {
    const names = new Set(changed.map(({ driver, pool, device }) => `${driver}/${pool}/${device}`));
    for (const { devices = [], podUids } of this.#claims.all()) {
      if (devices.some(({ driver, pool, device }) => names.has(`${driver}/${pool}/${device}`)))
        for (const uid of podUids) this.#options.onHealth(uid);
    }
  }

  release(podUid: string): Promise<void> {
    return this.#claims.of(podUid).length === 0 ? Promise.resolve() : this.#serialize(() => this.#release(podUid));
  }

  async #release(podUid: string): Promise<void> {
    for (const info of this.#claims.of(podUid)) {
      if (info.podUids.length > 1) {
        info.podUids = info.podUids.filter((uid) => uid !== podUid);
        continue;
      }
      for (const driver of info.drivers) {
        const { claims = {} } = await this.#driver(driver).nodeUnprepareResources(
          { claims: [{ namespace: info.namespace, uid: info.uid, name: info.name }] },
          { signal: this.#deadline() },
        );
        const answer = claims[info.uid];
        if (answer === undefined) throw new Error('NodeUnprepareResources skipped 1 ResourceClaims');
        if (answer.error)
          throw new Error(`NodeUnprepareResources failed for ResourceClaim ${info.name}: ${answer.error}`);
      }
      this.#claims.delete(info);
    }
    await this.#claims.save();
  }

  async #register({
    name,
    endpoint,
    versions,
  }: {
    readonly name: string;
    readonly endpoint: string;
    readonly versions: readonly string[];
  }): Promise<void> {
    const [, contract] = Object.entries(SERVICES).find(([service]) => versions.includes(service)) ?? [];
    if (contract === undefined)
      throw new Error(
        `version check of plugin ${name} failed: none of the DRA gRPC service interfaces is supported by both kubelet ([${Object.keys(SERVICES).join(' ')}]) and plugin (${JSON.stringify(versions)})`,
      );
    await Promise.resolve();
    this.#wipes.get(name)?.cancel();
    this.#wipes.delete(name);
    close(this.#drivers.get(name));
    const connection = connectGrpc(endpoint);
    const stop = new AbortController();
    this.#drivers.set(name, { connection, service: connection.service<DRAPlugin>(contract, 'DRAPlugin'), stop });
    const health = connection.service<DRAResourceHealth>(
      { package: HEALTH_PACKAGE, descriptor: healthDescriptor },
      'DRAResourceHealth',
    );
    const following = this.#health
      .follow(name, health, stop.signal)
      .finally(() => this.#healthStreams.delete(following));
    this.#healthStreams.add(following);
  }

  async #deregister(name: string): Promise<void> {
    await Promise.resolve();
    close(this.#drivers.get(name));
    this.#drivers.delete(name);
    this.#wipes.get(name)?.cancel();
    this.#wipes.set(
      name,
      this.#ctx.clock.after(WIPE_DELAY_MS, () => void this.#wipeSlices(name)),
    );
  }

  /** Deletes the node's ResourceSlices of a driver that is gone, or of all such drivers. */
  async #wipeSlices(driver: string | undefined): Promise<void> {
    const { client, nodeName } = this.#options;
    const fieldSelector = `spec.nodeName=${nodeName}${driver === undefined ? '' : `,spec.driver=${driver}`}`;
    const slices = client.resource('resource.k8s.io/v1/resourceslices');
    try {
      for (const { metadata, spec } of (await slices.list({ fieldSelector, signal: this.#ctx.signal })).items) {
        if (this.#drivers.has(spec.driver)) continue;
        await slices.delete({ name: metadata.name ?? '' }, { signal: this.#ctx.signal }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      }
    } catch (error) {
      if (!this.#ctx.signal.aborted)
        this.#ctx.logger.v(1).info('Failed to delete ResourceSlices', { driver, err: errorMessage(error) });
    }
  }

  #driver(name: string): DRAPlugin {
    const driver = this.#drivers.get(name);
    if (driver === undefined) throw new Error(`DRA driver ${name} is not registered`);
    return driver.service;
  }

  #deadline(): AbortSignal {
    return this.#ctx.clock.deadline(CALL_TIMEOUT_MS, this.#ctx.signal);
  }

  /** Runs one operation at a time, because pods may share a claim. */
  #serialize(work: () => Promise<void>): Promise<void> {
    const done = this.#pending.then(work);
    this.#pending = done.catch(() => {});
    return done;
  }
}

function close(driver: Driver | undefined): void {
  driver?.stop.abort();
  driver?.connection.close();
}

function newClaimInfo({ metadata: { uid = '', name = '', namespace = '' }, status }: ResourceClaim): ClaimInfo {
  const drivers = [...new Set((status?.allocation?.devices?.results ?? []).map(({ driver }) => driver))];
  return { uid, name, namespace, drivers, podUids: [], devices: undefined };
}
