/**
 * Which addresses of a pod range are taken. Pure: the records of attachments are what lasts. Addresses are handed out in
 * a circle, so that one that was just released is not given to the next pod while others still remember its old owner.
 */
import { AddressRange } from '../../../base/index.ts';

export class AddressPool {
  readonly range: AddressRange;
  readonly gateway: string;
  readonly #taken = new Map<bigint, string>();
  readonly #first = 2n;
  readonly #last: bigint;
  #next: bigint;

  /** The first address is the network's, the second the gateway's, the last of IPv4 is the broadcast address. */
  constructor(cidr: string) {
    this.range = AddressRange.parse(cidr);
    this.#last = this.range.family === 4 ? this.range.size - 2n : this.range.size - 1n;
    if (this.#last < this.#first) throw new Error(`the pod range ${cidr} has no address for pods`);
    this.gateway = this.range.at(1);
    this.#next = this.#first;
  }

  /** Undefined when none is left. */
  allocate(owner: string): string | undefined {
    const count = this.#last - this.#first + 1n;
    if (BigInt(this.#taken.size) >= count) return undefined;
    for (let offset = this.#next; ; offset = this.#after(offset)) {
      if (this.#taken.has(offset)) continue;
      this.#taken.set(offset, owner);
      this.#next = this.#after(offset);
      return this.range.at(offset);
    }
  }

  /** Takes an address that its owner has from before; false when somebody else has it. Others' ranges are ignored. */
  reserve(address: string, owner: string): boolean {
    const offset = this.range.offsetOf(address);
    if (offset === undefined || offset < this.#first || offset > this.#last) return true;
    const holder = this.#taken.get(offset);
    if (holder !== undefined) return holder === owner;
    this.#taken.set(offset, owner);
    if (offset >= this.#next) this.#next = this.#after(offset);
    return true;
  }

  /** Only the owner gives an address back. */
  release(address: string, owner: string): void {
    const offset = this.range.offsetOf(address);
    if (offset !== undefined && this.#taken.get(offset) === owner) this.#taken.delete(offset);
  }

  holder(address: string): string | undefined {
    const offset = this.range.offsetOf(address);
    return offset === undefined ? undefined : this.#taken.get(offset);
  }

  #after(offset: bigint): bigint {
    return offset >= this.#last ? this.#first : offset + 1n;
  }
}
