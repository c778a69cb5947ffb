/** Address ranges as numbers. */
import { isIPv4, isIPv6 } from 'node:net';

export interface Cidr {
  readonly first: bigint;
  readonly prefix: number;
  /** 32 or 128. */
  readonly bits: number;
}

export function parseCidr(text: string): Cidr {
  const [address = '', prefixText = ''] = text.trim().split('/');
  const bits = isIPv4(address) ? 32 : isIPv6(address) ? 128 : 0;
  const prefix = Number(prefixText);
  if (bits === 0 || prefixText === '' || !Number.isInteger(prefix) || prefix < 0 || prefix > bits) throw new Error(`invalid CIDR: ${text}`);
  const host = BigInt(bits - prefix);
  return { first: (toNumber(address) >> host) << host, prefix, bits };
}

export const formatCidr = ({ first, prefix, bits }: Cidr): string => `${bits === 32 ? formatIPv4(first) : formatIPv6(first)}/${prefix}`;

export const sizeOf = ({ prefix, bits }: Cidr): bigint => 1n << BigInt(bits - prefix);

export const overlaps = (a: Cidr, b: Cidr): boolean => a.bits === b.bits && a.first < b.first + sizeOf(b) && b.first < a.first + sizeOf(a);

function toNumber(address: string): bigint {
  if (isIPv4(address)) return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  const [head = '', tail] = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => `${hex(Number(a) * 256 + Number(b))}:${hex(Number(c) * 256 + Number(d))}`).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(parseInt(group, 16)), 0n);
}

const hex = (value: number): string => value.toString(16);

const formatIPv4 = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.');

/** In the short form: the longest run of zeros is left out. */
function formatIPv6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => hex(Number((value >> BigInt(112 - 16 * i)) & 0xffffn)));
  let best = { start: 0, length: 0 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === '0') length++;
    if (length > best.length) best = { start, length };
  }
  if (best.length < 2) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}
