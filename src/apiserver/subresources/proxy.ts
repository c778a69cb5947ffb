/** The proxy subresource of pods, services and nodes: forwards HTTP requests to them. */
import type { Pod, Service } from '../../api/generated/core-v1.ts';
import { quote } from '../../base/index.ts';
import { badRequest, isStatusError, serviceUnavailable } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { TlsTrust } from '../../net/tls/index.ts';
import {
  authorityOf,
  clientHost,
  forwardedHeaders,
  proxyUpgrade,
  relay,
  send,
  unreachable,
  type PermittedTarget,
  type Target,
} from '../dial/index.ts';
import { splitPath, type RequestInfo } from '../request/request-info.ts';
import type { ApiResponse, Result } from '../request/request.ts';
import type { Scope } from '../verbs/scope.ts';
import { admitConnection } from './pod-streams.ts';
import { rewriteLinks } from './rewrite-links.ts';

type Kind = 'pod' | 'service' | 'node';

/** `name`, `name:port` or `scheme:name:port`, in place of the name in the path. */
interface Subject {
  readonly scheme: '' | 'http' | 'https';
  readonly name: string;
  readonly port: string;
}

const OPTION_KINDS: Record<Kind, string> = {
  pod: 'PodProxyOptions',
  service: 'ServiceProxyOptions',
  node: 'NodeProxyOptions',
};

export const proxyTo =
  (kind: Kind) =>
  async (scope: Scope): Promise<Result> => {
    await admitConnection(scope, OPTION_KINDS[kind]);
    const subject = parseSubject(kind, scope.place.name);
    const target = await LOCATE[kind](scope, subject);
    const { request, info } = scope;
    const [base, rest] = splitProxyPath(request.path, info);
    const query = request.query.toString();
    if (rest === '' && !request.upgrade && (request.method === 'GET' || request.method === 'HEAD')) {
      const location = `${request.path}/${query === '' ? '' : `?${query}`}`;
      return { type: 'response', response: { status: 301, headers: { location } } };
    }
    const path = `${rest === '' ? '/' : rest}${query === '' ? '' : `?${query}`}`;
    return { type: 'response', response: await forward(scope, target, path, base) };
  };

/** RESOURCE/NAME/proxy */
const PARTS_BEFORE_REST = 3;

/** The path of the proxy itself, and the path behind it, both still percent-encoded. */
export function splitProxyPath(path: string, { parts }: Pick<RequestInfo, 'parts'>): [string, string] {
  return splitAfter(path, splitPath(path).length - (parts.length - PARTS_BEFORE_REST));
}

/** Splits a percent-encoded path after `segments` segments. */
function splitAfter(path: string, segments: number): [string, string] {
  let end = 0;
  for (let i = 0; i < segments; i++) {
    while (path[end] === '/') end++;
    const slash = path.indexOf('/', end);
    end = slash < 0 ? path.length : slash;
  }
  return [path.slice(0, end), path.slice(end)];
}

async function forward(scope: Scope, target: PermittedTarget, path: string, base: string): Promise<ApiResponse> {
  const { request } = scope;
  const { dialer } = scope.backend;
  const host = clientHost(request.headers);
  if (request.upgrade) return proxyUpgrade(dialer, { request, target, path, headers: host });
  const body = ['GET', 'HEAD'].includes(request.method) ? undefined : await request.readBody();
  const headers = {
    ...forwardedHeaders(request.headers),
    ...host,
    'x-forwarded-uri': `${base}${path.split('?')[0]!}`,
    'x-forwarded-for': request.remoteAddress,
  };
  try {
    const incoming = await send(dialer, {
      target,
      method: request.method,
      path,
      headers,
      signal: request.signal,
      ...(body ? { body } : {}),
    });
    const html = /^text\/html\b/.test(incoming.headers['content-type'] ?? '');
    const response = relay(incoming, html ? (text) => rewriteLinks(text, base) : undefined);
    const { location } = response.headers;
    if (typeof location === 'string')
      response.headers['location'] = rewriteLocation(location, base, [authorityOf(target), host.host ?? '']);
    return response;
  } catch (error) {
    throw isStatusError(error) ? error : unreachable(error);
  }
}

/** A redirect of the backend to itself goes through the proxy. It knows itself by its own address, or by the client's Host header. */
export function rewriteLocation(location: string, base: string, [backend, client]: readonly [string, string]): string {
  const [, start = '', host = '', path = ''] = /^((?:https?:)?\/\/([^/?#]*))((?:[/?#].*)?)$/.exec(location) ?? [
    undefined,
    '',
    '',
    location,
  ];
  if ((host !== '' && host !== backend && host !== client) || !path.startsWith('/')) return location;
  return (host === client ? start : '') + (path.startsWith(base) ? path : base + path);
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

const LOCATE: Record<Kind, (scope: Scope, subject: Subject) => Promise<PermittedTarget>> = {
  pod: podTarget,
  service: serviceTarget,
  node: nodeTarget,
};

const overTls = ({ scheme }: Subject): Pick<Target, 'tls'> => (scheme === 'https' ? { tls: ANY_SERVER } : {});

/** As upstream, the certificate of a pod's or Service's HTTPS port is not verified. */
const ANY_SERVER = new TlsTrust({ insecureSkipVerify: true });

async function podTarget(scope: Scope, subject: Subject): Promise<PermittedTarget> {
  const { object } = await scope.backend.objects.get(scope.served, { ...scope.place, name: subject.name });
  const pod = object as Pod & KubeObject;
  const { spec, status } = pod;
  const port = subject.port || spec?.containers.find((container) => container.ports?.length)?.ports?.[0]?.containerPort;
  const host = status?.podIPs?.[0]?.ip ?? status?.podIP ?? '';
  const target = { host, port: Number(port ?? (subject.scheme === 'https' ? 443 : 80)), ...overTls(subject) };
  return scope.backend.dialPolicy.permitPod(pod, target);
}

async function serviceTarget(scope: Scope, subject: Subject): Promise<PermittedTarget> {
  const { objects, services } = scope.backend;
  const { namespace } = scope.place;
  const { object } = await objects.get(scope.served, { ...scope.place, name: subject.name });
  const service = object as Service & KubeObject;
  const portName = servicePortName(service, subject);
  return { ...services.resolvePods({ namespace, name: subject.name, portName }, service), ...overTls(subject) };
}

/** The port by name or number; by default the Service's only port. */
function servicePortName({ spec }: Service, { port, name }: Subject): string {
  if (!/^\d+$/.test(port)) return port;
  const found = spec?.ports?.find((candidate) => candidate.port === Number(port));
  if (!found) throw serviceUnavailable(`no service port ${port} found for service ${quote(name)}`);
  return found.name ?? '';
}

async function nodeTarget(scope: Scope, subject: Subject): Promise<PermittedTarget> {
  const kubelet = await scope.backend.kubelet.target(subject.name, { source: 'node' });
  if (subject.port === '' || Number(subject.port) === kubelet.port) return kubelet;
  const target = { host: kubelet.host, port: Number(subject.port), ...overTls(subject) };
  return scope.backend.dialPolicy.permitNodePort(subject.name, target);
}
