/** HTTP proxies from the environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
import { request, type IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import { abortWhenIdle, type IdleTimeout } from '../idle-timeout.ts';
import { isLoopback } from './endpoints.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy for a request; undefined for a direct connection. */
export function proxyFor(target: URL, environment: Environment = process.env): URL | undefined {
  const name = target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = environment[name] ?? environment[name.toLowerCase()] ?? '';
  if (value === '' || isLoopback(target.hostname)) return undefined;
  if (isExcluded(target, environment.NO_PROXY ?? environment.no_proxy ?? '')) return undefined;
  return new URL(/^[a-z]+:\/\//i.test(value) ? value : `http://${value}`);
}

/** NO_PROXY entries are `*`, hosts (which include their subdomains), addresses or CIDRs, with or without a port. */
function isExcluded(target: URL, list: string): boolean {
  const host = target.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = target.port === '' ? (target.protocol === 'https:' ? '443' : '80') : target.port;
  return list.split(/[\s,]+/).some((item) => {
    const entry = item.toLowerCase();
    if (entry === '' || entry === '*') return entry === '*';
    if (entry.includes('/')) return isInNetwork(host, entry);
    const [name = '', entryPort] = entry.split(/:(?=[0-9]+$)/);
    if (entryPort !== undefined && entryPort !== port) return false;
    const domain = name.replace(/^\*?\./, '');
    return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
  });
}

function isInNetwork(host: string, network: string): boolean {
  const [address = '', bits = ''] = network.split('/');
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  try {
    const networks = new BlockList();
    networks.addSubnet(address, Number(bits), type);
    return networks.check(host, type);
  } catch {
    return false;
  }
}

export function proxyHeaders(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` };
}

/** A CONNECT tunnel through the proxy, for TLS. */
export async function tunnel(
  proxy: URL,
  target: URL,
  { signal, limit, socket }: { signal?: AbortSignal; limit: IdleTimeout; socket?: Socket },
): Promise<Socket> {
  if (proxy.protocol !== 'http:')
    throw new Error(`proxies of the kind ${proxy.protocol.slice(0, -1)} are not supported`);
  const address = `${target.hostname}:${target.port === '' ? 443 : target.port}`;
  return new Promise((resolve, reject) => {
    const connecting = request({
      host: proxy.hostname,
      port: proxy.port === '' ? 80 : proxy.port,
      method: 'CONNECT',
      path: address,
      headers: { host: address, ...proxyHeaders(proxy) },
      ...(signal === undefined ? {} : { signal }),
      ...(socket === undefined ? {} : { createConnection: () => socket }),
    });
    const stopWatching = abortWhenIdle(connecting, limit);
    connecting.once('connect', (response: IncomingMessage, tunnelled: Socket) => {
      stopWatching();
      if (response.statusCode === 200) resolve(tunnelled);
      else {
        tunnelled.destroy();
        reject(new Error(`the proxy ${proxy.host} answered ${response.statusCode} for ${address}`));
      }
    });
    connecting.once('error', reject);
    connecting.end();
  });
}
