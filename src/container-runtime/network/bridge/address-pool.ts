/**
 * IPAM: allocates pod addresses from a pod CIDR. In memory only; the attachment records persist. Addresses are
 * allocated round-robin, so that a released address is not reused while others still have the old owner in their
 * caches.
 */
import { AddressRange } from '../../../base/index.ts';

export class AddressPool {
  readonly range: AddressRange;
  readonly gateway: string;
  readonly #owners = new Map<bigint, string>();
  readonly #first = 2n;
  readonly #last: bigint;
  #next: bigint;

  /** The first address is the network's, the second the gateway's, and the last one of IPv4 the broadcast address. */
  constructor(cidr: string) {
    this.range = AddressRange.parse(cidr);
    this.#last = this.range.family === 4 ? this.range.size - 2n : this.range.size - 1n;
    if (this.#last < this.#first) throw new Error(`the pod range ${cidr} has no address for pods`);
    this.gateway = this.range.at(1);
    this.#next = this.#first;
  }

  /** Undefined if no address is free. */
  allocate(owner: string): string | undefined {
    const count = this.#last - this.#first + 1n;
    if (BigInt(this.#owners.size) >= count) return undefined;
    for (let offset = this.#next; ; offset = this.#after(offset)) {
      if (this.#owners.has(offset)) continue;
      this.#owners.set(offset, owner);
      this.#next = this.#after(offset);
      return this.range.at(offset);
    }
  }

  /** Reserves a known address; false if it has another owner. Addresses outside of the range are ignored. */
  reserve(address: string, owner: string): boolean {
    const offset = this.range.offsetOf(address);
    if (offset === undefined || offset < this.#first || offset > this.#last) return true;
    const ownerOf = this.#owners.get(offset);
    if (ownerOf !== undefined) return ownerOf === owner;
    this.#owners.set(offset, owner);
    if (offset >= this.#next) this.#next = this.#after(offset);
    return true;
  }

  /** Releases an address if `owner` has it. */
  release(address: string, owner: string): void {
    const offset = this.range.offsetOf(address);
    if (offset !== undefined && this.#owners.get(offset) === owner) this.#owners.delete(offset);
  }

  ownerOf(address: string): string | undefined {
    const offset = this.range.offsetOf(address);
    return offset === undefined ? undefined : this.#owners.get(offset);
  }

  #after(offset: bigint): bigint {
    return offset >= this.#last ? this.#first : offset + 1n;
  }
}
