/** Maps host and path of a request to a backend, over all Ingresses of the class. Pure. */
import type { HTTPIngressPath, Ingress, IngressBackend } from '../api/generated/networking-v1.ts';

/** A Service port, by number or name. */
export interface Backend {
  readonly namespace: string;
  readonly service: string;
  readonly port: number | string;
}

interface PathRule {
  readonly path: string;
  readonly exact: boolean;
  readonly backend: Backend | undefined;
}

export interface RoutingTable {
  /** By host in lower case, `*.domain`, or '' for any host. */
  readonly hosts: ReadonlyMap<string, readonly PathRule[]>;
  readonly defaultBackend: Backend | undefined;
}

/** If two Ingresses have the same rule, the older one wins. */
export function buildRoutingTable(ingresses: readonly Ingress[]): RoutingTable {
  const hosts = new Map<string, PathRule[]>();
  let defaultBackend: Backend | undefined;
  for (const ingress of ingresses.toSorted(byAge)) {
    const namespace = ingress.metadata.namespace!;
    defaultBackend ??= backendOf(namespace, ingress.spec?.defaultBackend);
    for (const rule of ingress.spec?.rules ?? []) {
      const host = (rule.host ?? '').toLowerCase();
      const rules = hosts.get(host) ?? [];
      hosts.set(host, rules);
      const paths: readonly HTTPIngressPath[] = rule.http?.paths ?? [];
      for (const { path = '/', pathType, backend } of paths)
        rules.push({
          path: path === '' ? '/' : path,
          exact: pathType === 'Exact',
          backend: backendOf(namespace, backend),
        });
      // A host without paths uses the default backend of its Ingress.
      if (paths.length === 0 && ingress.spec?.defaultBackend)
        rules.push({ path: '/', exact: false, backend: backendOf(namespace, ingress.spec.defaultBackend) });
    }
  }
  // The longest path first, Exact before Prefix; the sort is stable, so age decides the rest.
  for (const rules of hosts.values())
    rules.sort((a, b) => b.path.length - a.path.length || Number(b.exact) - Number(a.exact));
  return { hosts, defaultBackend };
}

const byAge = (a: Ingress, b: Ingress): number => {
  const [left, right] = [a, b].map(
    ({ metadata }) => `${metadata.creationTimestamp ?? ''} ${metadata.namespace}/${metadata.name}`,
  ) as [string, string];
  return left < right ? -1 : left > right ? 1 : 0;
};

function backendOf(namespace: string, backend: IngressBackend | undefined): Backend | undefined {
  const { service } = backend ?? {};
  const port = service?.port?.number || service?.port?.name;
  return service && port ? { namespace, service: service.name, port } : undefined;
}

/** An exact host wins over a wildcard, which stands for one label, and that over rules for all hosts. */
export function findBackend({ hosts, defaultBackend }: RoutingTable, host: string, path: string): Backend | undefined {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  const wildcard = name.includes('.') ? `*${name.slice(name.indexOf('.'))}` : undefined;
  for (const candidate of [name, wildcard, '']) {
    if (candidate === undefined) continue;
    const rule = hosts.get(candidate)?.find((each) => matches(each, path));
    if (rule) return rule.backend;
  }
  return defaultBackend;
}

/** Prefixes match whole path elements: /foo matches /foo and /foo/bar, not /foobar. */
function matches({ path, exact }: PathRule, requested: string): boolean {
  if (exact) return requested === path;
  const prefix = path.endsWith('/') ? path.slice(0, -1) : path;
  return requested === prefix || requested.startsWith(`${prefix}/`);
}
