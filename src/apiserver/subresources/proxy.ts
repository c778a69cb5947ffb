/** proxy of pods, services and nodes: any HTTP request to what they serve, below the API server's own path. */
import type { Node, Pod, Service } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { isRecord, type KubeObject } from '../../machinery/object.ts';
import { badRequest, serviceUnavailable } from '../../machinery/status.ts';
import { quote } from '../../machinery/quote.ts';
import { type IpAddress, parseIp } from '../../base/index.ts';
import { isStatusError } from '../../machinery/status.ts';
import type { ApiResponse } from '../request.ts';
import type { Result } from '../result.ts';
import type { Scope } from '../scope.ts';
import { forwardedHeaders, relay, send, tunnel, unreachable, type Target } from './kubelet-proxy.ts';
import { admitConnection } from './pod-streams.ts';
import { rewriteLinks } from './rewrite-links.ts';

type Kind = 'pod' | 'service' | 'node';

/** `name`, `name:port`, `scheme:name:port`: what stands in the path where others have a name. */
interface Subject {
  readonly scheme: '' | 'http' | 'https';
  readonly name: string;
  readonly port: string;
}

const OPTION_KINDS: Record<Kind, string> = { pod: 'PodProxyOptions', service: 'ServiceProxyOptions', node: 'NodeProxyOptions' };

export const proxyTo =
  (kind: Kind) =>
  async (scope: Scope): Promise<Result> => {
    await admitConnection(scope, OPTION_KINDS[kind]);
    const subject = parseSubject(kind, scope.place.name);
    const target = await LOCATE[kind](scope, subject);
    const { request, info } = scope;
    const base = request.path.slice(0, request.path.indexOf('/proxy', request.path.lastIndexOf(`/${encodeURI(scope.place.name)}/`)) + '/proxy'.length);
    const rest = request.path.slice(base.length) || (info.parts.length > 3 ? `/${info.parts.slice(3).join('/')}` : '');
    const query = request.query.toString();
    if (rest === '' && !request.upgrade && (request.method === 'GET' || request.method === 'HEAD')) {
      const location = `${request.path}/${query === '' ? '' : `?${query}`}`;
      return { type: 'response', response: { status: 301, headers: { location } } };
    }
    const path = `${rest === '' ? '/' : rest}${query === '' ? '' : `?${query}`}`;
    return { type: 'response', response: await forward(scope, target, path, base) };
  };

async function forward(scope: Scope, target: Target, path: string, base: string): Promise<ApiResponse> {
  const { request } = scope;
  if (request.upgrade) return tunnel(request, target, path);
  const body = ['GET', 'HEAD'].includes(request.method) ? undefined : await request.readBody();
  const headers = { ...forwardedHeaders(request), 'x-forwarded-uri': `${base}${path.split('?')[0]!}`, 'x-forwarded-for': request.remoteAddress };
  try {
    const incoming = await send({ target, method: request.method, path, headers, signal: request.signal, ...(body ? { body } : {}) });
    const html = /^text\/html\b/.test(incoming.headers['content-type'] ?? '');
    const response = relay(incoming, html ? (text) => rewriteLinks(text, base) : undefined);
    const { location } = response.headers;
    if (typeof location === 'string' && location.startsWith('/')) response.headers['location'] = base + location;
    return response;
  } catch (error) {
    throw isStatusError(error) ? error : unreachable(error);
  }
}

function parseSubject(kind: Kind, text: string): Subject {
  const parts = text.split(':');
  const bad = (): never => {
    throw badRequest(`invalid ${kind} request ${quote(text)}`);
  };
  if (parts.length === 1) return { scheme: '', name: parts[0]!, port: '' };
  if (parts.length === 2) return { scheme: '', name: parts[0]!, port: parts[1]! };
  const [scheme, name, port] = parts as [string, string, string];
  if (parts.length > 3 || !['', 'http', 'https'].includes(scheme) || name === '') return bad();
  return { scheme: scheme as Subject['scheme'], name, port };
}

const LOCATE: Record<Kind, (scope: Scope, subject: Subject) => Promise<Target>> = { pod: podTarget, service: serviceTarget, node: nodeTarget };

const overTls = ({ scheme }: Subject): Pick<Target, 'tls'> => (scheme === 'https' ? { tls: { rejectUnauthorized: false } } : {});

async function podTarget(scope: Scope, subject: Subject): Promise<Target> {
  const { object } = await scope.backend.objects.get(scope.served, { ...scope.place, name: subject.name });
  const { spec, status } = object as Pod & KubeObject;
  const port = subject.port || spec?.containers.find((container) => container.ports?.length)?.ports?.[0]?.containerPort;
  const host = status?.podIPs?.[0]?.ip ?? status?.podIP ?? '';
  checkAddress(host);
  return { host, port: Number(port ?? (subject.scheme === 'https' ? 443 : 80)), ...overTls(subject) };
}

/** Only addresses of the cluster's network: never the server's own loopback or its neighbours' link-local ones. */
function checkAddress(host: string): void {
  const ip = parseIp(host);
  if (!ip || !isGlobalUnicast(ip)) throw badRequest('address not allowed');
}

function isGlobalUnicast({ bytes, family }: IpAddress): boolean {
  if (family === 4) {
    const [a = 0, b = 0] = bytes;
    const unspecifiedOrBroadcast = bytes.every((byte) => byte === 0) || bytes.every((byte) => byte === 255);
    return !unspecifiedOrBroadcast && a !== 127 && a < 224 && !(a === 169 && b === 254);
  }
  const loopbackOrUnspecified = bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15]! < 2;
  return !loopbackOrUnspecified && bytes[0] !== 0xff && !(bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80);
}

async function serviceTarget(scope: Scope, subject: Subject): Promise<Target> {
  const { objects, registry, ctx } = scope.backend;
  const { object } = await objects.get(scope.served, { ...scope.place, name: subject.name });
  const portName = servicePortName(object as Service & KubeObject, subject);
  const choices: Target[] = [];
  for (const entry of registry.require('discovery.k8s.io', 'v1', 'endpointslices').cache.list(scope.place.namespace)) {
    const slice = entry.object as EndpointSlice & KubeObject;
    if (slice.metadata.labels?.['kubernetes.io/service-name'] !== subject.name) continue;
    const port = slice.ports?.find((candidate) => (candidate.name ?? '') === portName)?.port;
    if (port === undefined) continue;
    for (const endpoint of slice.endpoints ?? []) {
      if (endpoint.conditions?.ready !== false) for (const host of endpoint.addresses) choices.push({ host, port, ...overTls(subject) });
    }
  }
  if (choices.length === 0) throw serviceUnavailable(`no endpoints available for service ${quote(subject.name)}`);
  return choices[ctx.random.integer(choices.length)]!;
}

/** A port is given by its name or its number; without one the Service's only port is meant. */
function servicePortName({ spec }: Service, { port, name }: Subject): string {
  if (!/^\d+$/.test(port)) return port;
  const found = spec?.ports?.find((candidate) => candidate.port === Number(port));
  if (!found) throw serviceUnavailable(`no service port ${port} found for service ${quote(name)}`);
  return found.name ?? '';
}

async function nodeTarget(scope: Scope, subject: Subject): Promise<Target> {
  const kubelet = await scope.backend.kubelet.target(subject.name);
  if (subject.port === '' || Number(subject.port) === kubelet.port) return kubelet;
  const { object } = await scope.backend.objects.get(scope.served, { namespace: '', name: subject.name });
  const address = (object as Node & KubeObject).status?.addresses?.find((candidate) => isRecord(candidate) && candidate.type === 'InternalIP');
  if (address) checkAddress(address.address);
  return { host: kubelet.host, port: Number(subject.port), ...overTls(subject) };
}
