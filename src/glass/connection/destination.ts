/** What a connection is for: `service/b:80`, `pod/b:80`, a DNS name with a port, or an address with a port. */
import { isIP } from 'node:net';

export type Destination =
  | { readonly kind: 'service' | 'pod'; readonly namespace: string; readonly name: string; readonly port: string }
  | { readonly kind: 'name'; readonly host: string; readonly port: string }
  | { readonly kind: 'address'; readonly address: string; readonly port: string };

const KINDS: ReadonlyMap<string, 'service' | 'pod'> = new Map([
  ['service', 'service'],
  ['services', 'service'],
  ['svc', 'service'],
  ['pod', 'pod'],
  ['pods', 'pod'],
  ['po', 'pod'],
]);

/** Throws for what is none. Names may have their namespace before them: `service/other/b:80`. */
export function parseDestination(text: string, namespace: string): Destination {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):([\w-]{1,63})$/.exec(text);
  if (!match)
    throw new Error(
      `${JSON.stringify(text)} has no port: it is service/NAME:PORT, pod/NAME:PORT, a DNS name or an address with a port`,
    );
  const [, bracketed, host = bracketed ?? '', port = ''] = match;
  const parts = host.split('/');
  const kind = KINDS.get(parts[0] ?? '');
  if (kind && parts.length >= 2 && parts.length <= 3)
    return { kind, namespace: parts.length === 3 ? parts[1]! : namespace, name: parts.at(-1)!, port };
  if (parts.length > 1) throw new Error(`${JSON.stringify(host)} is neither a Service nor a Pod`);
  return isIP(host) ? { kind: 'address', address: host, port } : { kind: 'name', host, port };
}

/** `pod/a`, `pod/ns/a` or `a`. */
export function parseSource(text: string, namespace: string): { readonly namespace: string; readonly name: string } {
  const parts = text.split('/');
  if (parts.length > 1 && KINDS.get(parts[0]!) === 'pod') parts.shift();
  else if (parts.length > 1) throw new Error(`a connection begins in a Pod, not in ${JSON.stringify(text)}`);
  if (parts.length > 2 || parts.some((part) => part === ''))
    throw new Error(`${JSON.stringify(text)} does not name a Pod`);
  return { namespace: parts.length === 2 ? parts[0]! : namespace, name: parts.at(-1)! };
}
