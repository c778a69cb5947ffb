/** Address ranges (CIDR) and arithmetic on them, for pod CIDRs of nodes, Service CIDRs and routes. */
import { addressBytes, addressText, parseIp } from './ip.ts';

export class AddressRange {
  readonly family: 4 | 6;
  readonly prefixLength: number;
  readonly #base: bigint;
  readonly #bits: number;

  private constructor(base: bigint, prefixLength: number, family: 4 | 6) {
    this.family = family;
    this.prefixLength = prefixLength;
    this.#bits = family === 6 ? 128 : 32;
    this.#base = (base >> BigInt(this.#bits - prefixLength)) << BigInt(this.#bits - prefixLength);
  }

  /** Clears the bits after the prefix: 10.0.0.7/24 is 10.0.0.0/24. */
  static parse(cidr: string): AddressRange {
    const [address = '', length = '', ...rest] = cidr.trim().split('/');
    const family = familyOf(address);
    if (
      family === undefined ||
      rest.length > 0 ||
      !/^\d{1,3}$/.test(length) ||
      Number(length) > (family === 6 ? 128 : 32)
    ) {
      throw new Error(`${cidr} is not an address range (CIDR)`);
    }
    return new AddressRange(toNumber(address), Number(length), family);
  }

  /** The number of bits of an address: 32 or 128. */
  get bits(): number {
    return this.#bits;
  }

  /** The number of addresses. */
  get size(): bigint {
    return 1n << BigInt(this.#bits - this.prefixLength);
  }

  /** The address at an offset from the first. */
  at(offset: bigint | number): string {
    const wanted = BigInt(offset);
    if (wanted < 0n || wanted >= this.size) throw new Error(`${this.toString()} has no address number ${wanted}`);
    return toText(this.#base + wanted, this.family);
  }

  /** The offset of an address; undefined if it is not in the range. */
  offsetOf(address: string): bigint | undefined {
    if (familyOf(address) !== this.family) return undefined;
    const offset = toNumber(address) - this.#base;
    return offset >= 0n && offset < this.size ? offset : undefined;
  }

  contains(address: string): boolean {
    return this.offsetOf(address) !== undefined;
  }

  overlaps(other: AddressRange): boolean {
    if (this.family !== other.family) return false;
    return this.#base <= other.#base ? other.#base < this.#base + this.size : this.#base < other.#base + other.size;
  }

  /** The subnet of that prefix length at an index: 2 with /24 of 10.0.0.0/16 is 10.0.2.0/24. */
  part(index: bigint | number, prefixLength: number): AddressRange {
    const offset = BigInt(index) << BigInt(this.#bits - prefixLength);
    if (prefixLength < this.prefixLength || offset >= this.size)
      throw new Error(`${this.toString()} has no /${prefixLength} number ${index}`);
    return new AddressRange(this.#base + offset, prefixLength, this.family);
  }

  toString(): string {
    return `${toText(this.#base, this.family)}/${this.prefixLength}`;
  }
}

function toNumber(address: string): bigint {
  return BigInt(`0x${addressBytes(address).toString('hex')}`);
}

function toText(value: bigint, family: 4 | 6): string {
  return addressText(Buffer.from(value.toString(16).padStart(family === 6 ? 32 : 8, '0'), 'hex'));
}

/** The family of an address without leading zeros and zone. An IPv4-mapped address is IPv6. */
function familyOf(address: string): 4 | 6 | undefined {
  const ip = parseIp(address);
  if (!ip || ip.leadingZeros) return undefined;
  return ip.mapped ? 6 : ip.family;
}
