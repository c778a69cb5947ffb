/** A block of addresses that Services get theirs from. */
import { formatIp, parseCidr, parseIp, type IpAddress } from '../../machinery/validation/ip.ts';

export type IpFamily = 'IPv4' | 'IPv6';

const MIN_STATIC = 16n;
const MAX_STATIC = 256n;
const STATIC_SHARE = 16n;
/** Of a huge range only so many addresses are ever considered. */
const MAX_SIZE = 1n << 64n;

export class AddressRange {
  readonly family: IpFamily;
  readonly #network: bigint;
  readonly #first: bigint;
  /** How many addresses there are to give away. */
  readonly size: bigint;
  /** The lower part is for addresses that clients choose; the server takes from it only when the rest is used up. */
  readonly staticSize: bigint;
  readonly #total: bigint;

  constructor(readonly cidr: string) {
    const parsed = parseCidr(cidr);
    if (!parsed) throw new Error(`${cidr} is not a block of addresses`);
    this.family = parsed.ip.family === 6 ? 'IPv6' : 'IPv4';
    const hostBits = BigInt(parsed.network.bytes.length * 8 - parsed.prefix);
    this.#total = 1n << hostBits;
    this.#network = toNumber(parsed.network);
    // The network's own address is nobody's, and neither is IPv4's broadcast address.
    this.#first = this.#network + 1n;
    const usable = this.#total - (this.family === 'IPv4' ? 2n : 1n);
    this.size = usable < 0n ? 0n : usable > MAX_SIZE ? MAX_SIZE : usable;
    this.staticSize = staticBand(this.#total);
  }

  /** The address at a place between 0 and `size`. */
  at(offset: bigint): string {
    return toText(this.#first + offset, this.family);
  }

  get networkAddress(): string {
    return toText(this.#network, this.family);
  }

  contains(address: string): boolean {
    const ip = parseIp(address);
    if (!ip || (ip.family === 6 ? 'IPv6' : 'IPv4') !== this.family) return false;
    const value = toNumber(ip);
    return value >= this.#first && value < this.#first + this.size;
  }
}

function staticBand(total: bigint): bigint {
  if (total < MIN_STATIC) return 0n;
  const share = total / STATIC_SHARE;
  if (share < MIN_STATIC) return MIN_STATIC;
  return share > MAX_STATIC ? MAX_STATIC : share;
}

const toNumber = (ip: IpAddress): bigint => ip.bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);

function toText(value: bigint, family: IpFamily): string {
  const bytes: number[] = [];
  for (let left = value; bytes.length < (family === 'IPv6' ? 16 : 4); left >>= 8n) bytes.unshift(Number(left & 0xffn));
  return formatIp({ bytes, family: family === 'IPv6' ? 6 : 4, mapped: false, leadingZeros: false });
}
