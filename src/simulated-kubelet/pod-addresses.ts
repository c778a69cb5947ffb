/**
 * IP addresses of simulated pods: from the node's pod CIDR if it has one, otherwise from a range that all nodes share.
 */

/** Shared address space (RFC 6598), four million addresses, for nodes that got no pod CIDR. */
export const SHARED_POD_CIDR = '100.64.0.0/10';

export class PodAddresses {
  readonly #first: number;
  readonly #size: number;
  #offset = 1;
  #highest = 0;
  readonly #used = new Set<number>();

  /** `10.244.3.0/24` */
  constructor(cidr: string) {
    const [address = '', bits = '24'] = cidr.split('/');
    this.#first = ipv4(address);
    this.#size = 2 ** (32 - Number(bits));
  }

  contains(address: string): boolean {
    const value = ipv4(address);
    return value >= this.#first && value < this.#first + this.#size;
  }

  /** Whether a pod may ever have had the address. */
  mayHaveGiven(address: string): boolean {
    return this.contains(address) && ipv4(address) <= this.#highest;
  }

  /** Undefined when all are in use. The first address is reserved for the gateway. */
  allocate(): string | undefined {
    for (let tried = 0; tried < this.#size; tried++) {
      this.#offset = this.#offset + 1 >= this.#size - 1 ? 2 : this.#offset + 1;
      const value = this.#first + this.#offset;
      if (this.#used.has(value)) continue;
      this.#take(value);
      return toDottedQuad(value);
    }
    return undefined;
  }

  /** Keeps an address that a pod has already, unless it is of another range. */
  reserve(address: string): void {
    if (this.contains(address)) this.#take(ipv4(address));
  }

  release(address: string): void {
    this.#used.delete(ipv4(address));
  }

  #take(value: number): void {
    this.#used.add(value);
    this.#highest = Math.max(this.#highest, value);
  }
}

function ipv4(address: string): number {
  return address.split('.').reduce((value, part) => value * 256 + Number(part), 0);
}

function toDottedQuad(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
