/** The node ports that a write of a Service reserves. */
import type { Service } from '../../api/generated/core-v1.ts';
import type { MaybePromise } from '../../base/index.ts';
import { failure, internalError, invalid, invalidValue, path } from '../../machinery/errors/index.ts';
import { allocatesNodePorts, hasNodePorts, needsHealthCheckPort } from '../registry/service-needs.ts';
import type { AllocationScope, NodePortMetrics } from './allocation-metrics.ts';
import { AllocationError } from './cluster-ip-allocator.ts';
import { nodePortsOf, portIsAllocated, type NodePortAllocator } from './node-port-allocator.ts';

/** Upstream's answer in a dry run: the first port above the default range. */
const FIRST_DRY_RUN_PORT = 32_769;

/** The ports that one write has reserved. */
export class PortOperation {
  readonly #allocator: NodePortAllocator;
  readonly #dryRun: boolean;
  readonly #reserved = new Set<number>();

  readonly #metrics: NodePortMetrics | undefined;

  constructor(allocator: NodePortAllocator, dryRun: boolean, metrics?: NodePortMetrics) {
    this.#allocator = allocator;
    this.#metrics = dryRun ? undefined : metrics;
    this.#dryRun = dryRun;
  }

  async reserve(port: number): Promise<void> {
    // A dry run does not check the range.
    if (!this.#dryRun) await this.#counted('static', () => this.#allocator.reserve(port));
    else if (this.#reserved.has(port) || (await this.#allocator.isAllocated(port))) throw portIsAllocated();
    this.#reserved.add(port);
  }

  async reserveNext(): Promise<number> {
    // A dry run allocates no port: the numbers only have to differ within the Service.
    const port = this.#dryRun
      ? Math.max(FIRST_DRY_RUN_PORT - 1, ...this.#reserved) + 1
      : await this.#counted('dynamic', () => this.#allocator.reserveNext());
    this.#reserved.add(port);
    return port;
  }

  async #counted<T>(scope: AllocationScope, allocate: () => MaybePromise<T>): Promise<T> {
    try {
      const allocated = await allocate();
      this.#metrics?.allocated(scope);
      return allocated;
    } catch (error) {
      this.#metrics?.failed(scope);
      throw error;
    }
  }

  async cancel(): Promise<void> {
    if (!this.#dryRun) await this.#allocator.cancel(this.#reserved);
  }

  /** The stored Service was `old` and is `service` now. */
  async commit(service: Service, old: Service | undefined): Promise<void> {
    if (this.#dryRun) return;
    const kept = nodePortsOf(service);
    await this.#allocator.commit(
      this.#reserved,
      [...(old ? nodePortsOf(old) : [])].filter((port) => !kept.has(port)),
    );
  }
}

export async function reserveForCreate(service: Service, operation: PortOperation): Promise<void> {
  if (hasNodePorts(service)) await reservePorts(service, operation);
  if (needsHealthCheckPort(service)) await reserveHealthCheckPort(service, operation);
}

/** Ports with the same number but different protocols share a node port. */
async function reservePorts(service: Service, operation: PortOperation): Promise<void> {
  const ports = service.spec?.ports ?? [];
  const given = new Map<number, number>();
  for (const [i, port] of ports.entries()) {
    if (!port.nodePort && !allocatesNodePorts(service)) continue;
    const known = given.get(port.port);
    if (known === undefined) {
      const wanted = ports.find((other) => other.port === port.port && other.nodePort)?.nodePort;
      port.nodePort = wanted ? await reserveChosen(service, i, wanted, operation) : await reserveAny(operation);
      given.set(port.port, port.nodePort);
    } else if (!port.nodePort) {
      port.nodePort = known;
    } else if (port.nodePort !== known) {
      await reserveChosen(service, i, port.nodePort, operation);
    }
  }
}

export async function reserveForUpdate(service: Service, old: Service, operation: PortOperation): Promise<void> {
  if (hasNodePorts(service)) {
    const held = new Set((old.spec?.ports ?? []).map((port) => port.nodePort));
    const reserved = new Set<number>();
    const seen = new Set<string>();
    for (const [i, port] of (service.spec?.ports ?? []).entries()) {
      if (!port.nodePort) {
        if (!allocatesNodePorts(service)) continue;
        port.nodePort = await reserveAny(operation);
      } else if (!held.has(port.nodePort) && !reserved.has(port.nodePort)) {
        reserved.add(await reserveChosen(service, i, port.nodePort, operation));
      }
      const key = `${port.protocol ?? 'TCP'} ${port.nodePort}`;
      if (seen.has(key)) throw failure(500, '', `duplicate nodePort: {${key}}`);
      seen.add(key);
    }
  }
  await updateHealthCheckPort(service, old, operation);
}

async function updateHealthCheckPort(service: Service, old: Service, operation: PortOperation): Promise<void> {
  if (!needsHealthCheckPort(service)) return;
  if (!needsHealthCheckPort(old)) {
    if (!nodePortsOf(old).has(service.spec?.healthCheckNodePort ?? 0)) await reserveHealthCheckPort(service, operation);
    return;
  }
  const port = service.spec?.healthCheckNodePort;
  if (port === old.spec?.healthCheckNodePort) return;
  refusePort(
    service,
    path('spec', 'healthCheckNodePort'),
    port,
    'cannot change healthCheckNodePort on loadBalancer service with externaltraffic set during update',
  );
}

async function reserveHealthCheckPort({ spec }: Service, operation: PortOperation): Promise<void> {
  const wanted = spec!.healthCheckNodePort;
  try {
    if (wanted) await operation.reserve(wanted);
    else spec!.healthCheckNodePort = await operation.reserveNext();
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    throw internalError(
      wanted
        ? `failed to allocate requested HealthCheck NodePort ${wanted}: ${error.message}`
        : `failed to allocate a HealthCheck NodePort: ${error.message}`,
    );
  }
}

async function reserveAny(operation: PortOperation): Promise<number> {
  try {
    return await operation.reserveNext();
  } catch (error) {
    if (error instanceof AllocationError) throw internalError(`failed to allocate a nodePort: ${error.message}`);
    throw error;
  }
}

async function reserveChosen(service: Service, i: number, port: number, operation: PortOperation): Promise<number> {
  try {
    await operation.reserve(port);
    return port;
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    return refusePort(service, path('spec', 'ports').index(i).child('nodePort'), port, error.message);
  }
}

function refusePort(service: Service, at: ReturnType<typeof path>, port: unknown, detail: string): never {
  throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', [invalidValue(at, port, detail)]);
}
