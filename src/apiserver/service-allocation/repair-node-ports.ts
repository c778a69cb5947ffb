/**
 * Brings the stored node ports in line with those of all Services: creates them at the first start, adds ports that a
 * Service has, and removes ports that no Service has had in several rounds, because a server died between two writes.
 * Until then such a port may belong to a Service that is just being created.
 */
import type { Service } from '../../api/generated/core-v1.ts';
import type { Context } from '../../kernel/index.ts';
import type { Registry } from '../registry/registry.ts';
import { nodePortsOf } from './node-port-allocator.ts';
import { PortBits } from './port-bits.ts';
import type { StoredNodePorts } from './stored-node-ports.ts';

const ROUNDS_BEFORE_CLEANUP = 3;
const MAX_CONFLICTS = 10;

export class NodePortRepair {
  readonly #ctx: Context;
  readonly #registry: Registry;
  readonly #ports: StoredNodePorts;
  /** The ports that no Service has, with the number of rounds for which they stay allocated. */
  #leaks = new Map<number, number>();

  constructor(ctx: Context, registry: Registry, ports: StoredNodePorts) {
    this.#ctx = ctx;
    this.#registry = registry;
    this.#ports = ports;
  }

  async run(): Promise<void> {
    for (let i = 0; i < MAX_CONFLICTS; i++) if (await this.#runOnce()) return;
    throw new Error('unable to persist the updated port allocations: other servers are changing them');
  }

  async #runOnce(): Promise<boolean> {
    const stored = await this.#ports.read();
    // Services must be read after the ports: a port may be released only if its Service had the time to be seen.
    await this.#registry.objects.untilCurrent();
    const rebuilt = this.#portsOfServices(stored.bits);
    const leaks = new Map<number, number>();
    for (const port of stored.bits) {
      if (!this.#ports.range.contains(port) || rebuilt.has(port)) continue;
      const rounds = this.#leaks.get(port) ?? ROUNDS_BEFORE_CLEANUP - 1;
      if (rounds === 0) {
        this.#ctx.logger.warn('No Service has this node port: it is free again', { port });
        continue;
      }
      leaks.set(port, rounds - 1);
      rebuilt.add(port);
    }
    const isCurrent =
      stored.revision > 0 &&
      String(stored.range) === String(this.#ports.range) &&
      stored.bits.encode() === rebuilt.encode();
    if (!isCurrent && !(await this.#ports.replace(stored.revision, rebuilt))) return false;
    this.#leaks = leaks;
    return true;
  }

  #portsOfServices(stored: PortBits): PortBits {
    const { range } = this.#ports;
    const rebuilt = new PortBits(range);
    for (const entry of this.#registry.require('', 'v1', 'services').cache.list()) {
      const service = `${entry.namespace}/${entry.name}`;
      for (const port of nodePortsOf(entry.object as unknown as Service)) {
        if (!range.contains(port)) {
          this.#ctx.logger.warn('The node port of a Service is out of range', { service, port, range: String(range) });
        } else if (rebuilt.has(port)) {
          this.#ctx.logger.warn('Another Service has the same node port; recreate one of them', { service, port });
        } else {
          if (!stored.has(port)) this.#ctx.logger.v(2).info('Allocated the node port of a Service', { service, port });
          rebuilt.add(port);
        }
      }
    }
    return rebuilt;
  }
}
