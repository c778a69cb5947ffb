/** The errors of Go's net/netip for texts that ParseAddr and ParsePrefix refuse. */
import { quote } from '../../base/index.ts';

interface Fault {
  readonly message: string;
  /** The rest of the text, from the fault on. */
  readonly at?: string;
}

/** For a text that ParseAddr refuses. */
export function parseAddrError(text: string): string {
  const { message, at } = addressFault(text);
  return `ParseAddr(${quote(text)}): ${message}${at ? ` (at ${quote(at)})` : ''}`;
}

/** For a text that ParsePrefix refuses. */
export function parsePrefixError(text: string, isAddress: (text: string) => boolean): string {
  return `netip.ParsePrefix(${quote(text)}): ${prefixFault(text, isAddress)}`;
}

function prefixFault(text: string, isAddress: (text: string) => boolean): string {
  const slash = text.lastIndexOf('/');
  if (slash < 0) return "no '/'";
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  if (address.includes('%') && isAddress(address.slice(0, address.indexOf('%'))))
    return 'IPv6 zones cannot be present in a prefix';
  if (!isAddress(address)) return parseAddrError(address);
  return /^(?:\d|[1-9]\d+)$/.test(bits) ? 'prefix length out of range' : `bad bits after slash: ${quote(bits)}`;
}

function addressFault(text: string): Fault {
  const separator = /[.:%]/.exec(text)?.[0];
  if (separator === '.') return ipv4Fault(text) ?? UNABLE_TO_PARSE;
  if (separator === ':') return ipv6Fault(text) ?? UNABLE_TO_PARSE;
  return separator === '%' ? { message: 'missing IPv6 address' } : UNABLE_TO_PARSE;
}

const UNABLE_TO_PARSE: Fault = { message: 'unable to parse IP' };

function ipv4Fault(text: string): Fault | undefined {
  let field = '';
  let dots = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (character >= '0' && character <= '9') {
      if (field === '0') return { message: 'IPv4 field has octet with leading zero' };
      field += character;
      if (Number(field) > 255) return { message: 'IPv4 field has value >255' };
    } else if (character === '.') {
      if (i === 0 || i === text.length - 1 || text[i - 1] === '.')
        return { message: 'IPv4 field must have at least one digit', at: text.slice(i) };
      if (dots === 3) return { message: 'IPv4 address too long' };
      dots++;
      field = '';
    } else return { message: 'unexpected character', at: text.slice(i) };
  }
  return dots < 3 ? { message: 'IPv4 address too short' } : undefined;
}

const BYTES = 16;

function ipv6Fault(text: string): Fault | undefined {
  const percent = text.indexOf('%');
  if (percent >= 0 && percent === text.length - 1) return { message: 'zone must be a non-empty string' };
  let rest = percent < 0 ? text : text.slice(0, percent);
  let filled = 0;
  let skips = rest.startsWith('::');
  if (skips) rest = rest.slice(2);
  while (filled < BYTES && rest !== '') {
    const [digits = ''] = /^[0-9a-fA-F]*/.exec(rest) ?? [];
    if (digits.length > 4) return { message: 'each group must have 4 or less digits', at: rest };
    if (digits === '') return { message: 'each colon-separated field must have at least one digit', at: rest };
    if (rest[digits.length] === '.') {
      if (!skips && filled !== 12)
        return { message: 'embedded IPv4 address must replace the final 2 fields of the address', at: rest };
      if (filled + 4 > BYTES)
        return { message: 'too many hex fields to fit an embedded IPv4 at the end of the address', at: rest };
      const fault = ipv4Fault(rest);
      if (fault) return fault;
      filled += 4;
      rest = '';
      break;
    }
    filled += 2;
    rest = rest.slice(digits.length);
    if (rest === '') break;
    if (!rest.startsWith(':')) return { message: 'unexpected character, want colon', at: rest };
    if (rest.length === 1) return { message: 'colon must be followed by more characters', at: rest };
    rest = rest.slice(1);
    if (rest.startsWith(':')) {
      if (skips) return { message: 'multiple :: in address', at: rest };
      skips = true;
      rest = rest.slice(1);
    }
  }
  if (rest !== '') return { message: 'trailing garbage after address', at: rest };
  if (filled < BYTES) return skips ? undefined : { message: 'address string too short' };
  return skips ? { message: 'the :: must expand to at least one field of zeros' } : undefined;
}
