/** IP addresses as text, as bytes, and as names of the reverse zones. */

export function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const bytes = Buffer.alloc(16);
  const [head, tail] = address.split('::');
  const groups = (text: string | undefined): string[] => (text ? text.split(':') : []);
  const last = groups(tail);
  groups(head).forEach((group, index) => bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2));
  last.forEach((group, index) => bytes.writeUInt16BE(Number.parseInt(group, 16), 16 - (last.length - index) * 2));
  return bytes;
}

/** Of 4 or 16 bytes. */
export function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  return shortestForm(Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16)));
}

/** `4.3.2.1.in-addr.arpa` is 1.2.3.4; 32 nibbles before `ip6.arpa` are an IPv6 address, in its short form. */
export function addressOfReverseName(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (lower.endsWith('.in-addr.arpa')) {
    const parts = lower.slice(0, -'.in-addr.arpa'.length).split('.');
    return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255) ? parts.toReversed().join('.') : undefined;
  }
  if (!lower.endsWith('.ip6.arpa')) return undefined;
  const nibbles = lower.slice(0, -'.ip6.arpa'.length).split('.');
  if (nibbles.length !== 32 || !nibbles.every((nibble) => /^[0-9a-f]$/.test(nibble))) return undefined;
  const groups = nibbles.toReversed().join('').match(/.{4}/g)!.map((group) => group.replace(/^0{1,3}/, ''));
  return shortestForm(groups);
}

/** RFC 5952: the longest run of zero groups, the first of equals, becomes `::`. */
function shortestForm(groups: readonly string[]): string {
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === '0') length++;
    if (length > best.length) best = { start, length };
  }
  if (best.start < 0) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}
