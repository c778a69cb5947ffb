import { addressText } from '../base/index.ts';

/** The address of a PTR name: `4.3.2.1.in-addr.arpa` is 1.2.3.4; 32 nibbles before `ip6.arpa` are an IPv6 address. */
export function addressOfReverseName(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (lower.endsWith('.in-addr.arpa')) {
    const parts = lower.slice(0, -'.in-addr.arpa'.length).split('.');
    return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)
      ? parts.toReversed().join('.')
      : undefined;
  }
  if (!lower.endsWith('.ip6.arpa')) return undefined;
  const nibbles = lower.slice(0, -'.ip6.arpa'.length).split('.');
  if (nibbles.length !== 32 || !nibbles.every((nibble) => /^[0-9a-f]$/.test(nibble))) return undefined;
  return addressText(Buffer.from(nibbles.toReversed().join(''), 'hex'));
}
