/** A range of cluster IPs. */
import { AddressRange, formatIp, parseCidr, parseIp } from '../../base/index.ts';

export type IpFamily = 'IPv4' | 'IPv6';

const MIN_STATIC = 16n;
const MAX_STATIC = 256n;
const STATIC_SHARE = 16n;
/** Only this many addresses of a huge range are used. */
const MAX_SIZE = 1n << 64n;

export class ClusterIpRange {
  readonly family: IpFamily;
  readonly #block: AddressRange;
  /** The number of addresses that can be allocated. */
  readonly size: bigint;
  /** Clients choose addresses from the lower part; the allocator uses it only when the rest is exhausted. */
  readonly staticSize: bigint;

  constructor(readonly cidr: string) {
    const parsed = parseCidr(cidr);
    if (!parsed) throw new Error(`invalid CIDR ${cidr}`);
    this.family = parsed.ip.family === 6 ? 'IPv6' : 'IPv4';
    this.#block = AddressRange.parse(`${formatIp(parsed.network)}/${parsed.prefix}`);
    // Neither the network address nor IPv4's broadcast address can be allocated.
    const usable = this.#block.size - (this.family === 'IPv4' ? 2n : 1n);
    this.size = usable < 0n ? 0n : usable > MAX_SIZE ? MAX_SIZE : usable;
    this.staticSize = staticBand(this.#block.size);
  }

  /** `offset` is between 0 and `size`. */
  at(offset: bigint): string {
    return this.#block.at(offset + 1n);
  }

  get networkAddress(): string {
    return this.#block.at(0);
  }

  contains(address: string): boolean {
    const ip = parseIp(address);
    const offset = ip && this.#block.offsetOf(formatIp(ip));
    return offset !== undefined && offset > 0n && offset <= this.size;
  }
}

function staticBand(total: bigint): bigint {
  if (total < MIN_STATIC) return 0n;
  const share = total / STATIC_SHARE;
  if (share < MIN_STATIC) return MIN_STATIC;
  return share > MAX_STATIC ? MAX_STATIC : share;
}
