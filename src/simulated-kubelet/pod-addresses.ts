/** IP addresses of simulated pods: from the node's pod CIDR if it has one, otherwise from a range that all nodes share. */

/** Shared address space (RFC 6598), four million addresses, for nodes that got no pod CIDR. */
const SHARED_FIRST = ipv4('100.64.0.1');
const SHARED_LAST = ipv4('100.127.255.254');

export class SharedPodAddresses {
  #next = SHARED_FIRST;
  readonly #free: number[] = [];

  allocate(): string {
    const address = this.#free.pop() ?? this.#next++;
    if (address > SHARED_LAST) throw new Error('no pod address is left');
    return toDottedQuad(address);
  }

  /** Whether the address was ever allocated. */
  contains(address: string): boolean {
    const value = ipv4(address);
    return value >= SHARED_FIRST && value < this.#next;
  }

  release(address: string): void {
    const value = ipv4(address);
    if (value >= SHARED_FIRST && value <= SHARED_LAST) this.#free.push(value);
  }
}

export class NodePodAddresses {
  readonly #first: number;
  readonly #size: number;
  #offset = 1;
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

  /** Undefined when all are in use. The first address is reserved for the gateway. */
  allocate(): string | undefined {
    for (let tried = 0; tried < this.#size; tried++) {
      this.#offset = this.#offset + 1 >= this.#size - 1 ? 2 : this.#offset + 1;
      if (this.reserve(this.#first + this.#offset)) return toDottedQuad(this.#first + this.#offset);
    }
    return undefined;
  }

  reserve(address: number | string): boolean {
    const value = typeof address === 'string' ? ipv4(address) : address;
    if (this.#used.has(value)) return false;
    this.#used.add(value);
    return true;
  }

  release(address: string): void {
    this.#used.delete(ipv4(address));
  }
}

function ipv4(address: string): number {
  return address.split('.').reduce((value, part) => value * 256 + Number(part), 0);
}

function toDottedQuad(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
