/** The node ports that a write of a Service reserves. */
import type { Service } from '../../api/generated/core-v1.ts';
import { failure, internalError, invalid, invalidValue, path } from '../../machinery/errors/index.ts';
import { allocatesNodePorts, hasNodePorts, needsHealthCheckPort } from '../registry/service-needs.ts';
import { AllocationError } from './cluster-ip-allocator.ts';
import { nodePortsOf, type NodePortAllocator } from './node-port-allocator.ts';

/** Upstream's answer in a dry run: the first port above the default range. */
const FIRST_DRY_RUN_PORT = 32_769;

/** The ports that one write has reserved. */
export class PortOperation {
  readonly #allocator: NodePortAllocator;
  readonly #dryRun: boolean;
  readonly #reserved = new Set<number>();

  constructor(allocator: NodePortAllocator, dryRun: boolean) {
    this.#allocator = allocator;
    this.#dryRun = dryRun;
  }

  reserve(port: number): void {
    // A dry run does not check the range.
    if (!this.#dryRun) this.#allocator.reserve(port);
    else if (this.#reserved.has(port) || this.#allocator.isAllocated(port))
      throw new AllocationError('provided port is already allocated');
    this.#reserved.add(port);
  }

  reserveNext(): number {
    // A dry run allocates no port: the numbers only have to differ within the Service.
    const port = this.#dryRun ? Math.max(FIRST_DRY_RUN_PORT - 1, ...this.#reserved) + 1 : this.#allocator.reserveNext();
    this.#reserved.add(port);
    return port;
  }

  settle(): void {
    if (!this.#dryRun) this.#allocator.settle(this.#reserved);
    this.#reserved.clear();
  }
}

export function reserveForCreate(service: Service, operation: PortOperation): void {
  if (hasNodePorts(service)) reservePorts(service, operation);
  if (needsHealthCheckPort(service)) reserveHealthCheckPort(service, operation);
}

/** Ports with the same number but different protocols share a node port. */
function reservePorts(service: Service, operation: PortOperation): void {
  const ports = service.spec?.ports ?? [];
  const given = new Map<number, number>();
  for (const [i, port] of ports.entries()) {
    if (!port.nodePort && !allocatesNodePorts(service)) continue;
    const known = given.get(port.port);
    if (known === undefined) {
      const wanted = ports.find((other) => other.port === port.port && other.nodePort)?.nodePort;
      port.nodePort = wanted ? reserveChosen(service, i, wanted, operation) : reserveAny(operation);
      given.set(port.port, port.nodePort);
    } else if (!port.nodePort) {
      port.nodePort = known;
    } else if (port.nodePort !== known) {
      reserveChosen(service, i, port.nodePort, operation);
    }
  }
}

export function reserveForUpdate(service: Service, old: Service, operation: PortOperation): void {
  if (hasNodePorts(service)) {
    const held = new Set((old.spec?.ports ?? []).map((port) => port.nodePort));
    const reserved = new Set<number>();
    const seen = new Set<string>();
    for (const [i, port] of (service.spec?.ports ?? []).entries()) {
      if (!port.nodePort) {
        if (!allocatesNodePorts(service)) continue;
        port.nodePort = reserveAny(operation);
      } else if (!held.has(port.nodePort) && !reserved.has(port.nodePort)) {
        reserved.add(reserveChosen(service, i, port.nodePort, operation));
      }
      const key = `${port.protocol ?? 'TCP'} ${port.nodePort}`;
      if (seen.has(key)) throw failure(500, '', `duplicate nodePort: {${key}}`);
      seen.add(key);
    }
  }
  updateHealthCheckPort(service, old, operation);
}

function updateHealthCheckPort(service: Service, old: Service, operation: PortOperation): void {
  if (!needsHealthCheckPort(service)) return;
  if (!needsHealthCheckPort(old)) {
    if (!nodePortsOf(old).has(service.spec?.healthCheckNodePort ?? 0)) reserveHealthCheckPort(service, operation);
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

function reserveHealthCheckPort({ spec }: Service, operation: PortOperation): void {
  const wanted = spec!.healthCheckNodePort;
  try {
    if (wanted) operation.reserve(wanted);
    else spec!.healthCheckNodePort = operation.reserveNext();
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    throw internalError(
      wanted
        ? `failed to allocate requested HealthCheck NodePort ${wanted}: ${error.message}`
        : `failed to allocate a HealthCheck NodePort: ${error.message}`,
    );
  }
}

function reserveAny(operation: PortOperation): number {
  try {
    return operation.reserveNext();
  } catch (error) {
    if (error instanceof AllocationError) throw internalError(`failed to allocate a nodePort: ${error.message}`);
    throw error;
  }
}

function reserveChosen(service: Service, i: number, port: number, operation: PortOperation): number {
  try {
    operation.reserve(port);
    return port;
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    return refusePort(service, path('spec', 'ports').index(i).child('nodePort'), port, error.message);
  }
}

function refusePort(service: Service, at: ReturnType<typeof path>, port: unknown, detail: string): never {
  throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', [invalidValue(at, port, detail)]);
}
