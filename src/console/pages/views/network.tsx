/** Services with their endpoints, and the policies that select pods. */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ObjectFeed } from '../api/object-feed.ts';
import type { ApiObject } from '../api/objects.ts';
import { visible } from '../format.ts';
import { Card, HeadRow, Notice, Pill } from '../parts/basics.tsx';
import { NamespacePicker } from '../parts/namespaces.tsx';
import { useObjects } from '../parts/use-feed.ts';
import { objectLink, route } from '../router.ts';
import { T } from '../texts.ts';
import { TryConnection } from './network-connection.tsx';
import { OpenPorts } from './object-ports.tsx';

interface Endpoint {
  readonly addresses?: readonly string[];
  readonly conditions?: { readonly ready?: boolean };
  readonly targetRef?: { readonly kind?: string; readonly name?: string };
}

interface EndpointSlice extends ApiObject {
  readonly endpoints?: readonly Endpoint[];
}

interface ServicePort {
  readonly port?: number;
  readonly targetPort?: number | string;
  readonly protocol?: string;
}

const { columns } = T.network;

export function NetworkPage() {
  const namespace = route.value.query.get('namespace') ?? '';
  const services = useObjects('services', { namespace });
  const slices = useObjects<EndpointSlice>('endpointslices.discovery.k8s.io', { namespace });
  const policies = useObjects('networkpolicies.networking.k8s.io', { namespace });
  const errors = [services, slices, policies].flatMap((feed) => feed?.error.value ?? []);
  return (
    <div class="page">
      <div class="toolbar">
        <h1>{T.network.title}</h1>
        <span class="grow" />
        <NamespacePicker />
      </div>
      {errors.map((error) => (
        <Notice key={error} kind="error">
          {visible(error)}
        </Notice>
      ))}
      <OpenPorts />
      <Card title={T.network.services}>
        <Listed feed={services} none={T.network.noServices}>
          {(items) => <Services services={items} slices={slices?.items.value ?? []} />}
        </Listed>
      </Card>
      <TryConnection namespace={namespace} services={services?.items.value ?? []} />
      <Card title={T.network.policies}>
        <Listed feed={policies} none={T.network.noPolicies}>
          {(items) => <Policies policies={items} />}
        </Listed>
      </Card>
    </div>
  );
}

const MAX_ENDPOINTS = 6;

const unreadyFirst = (endpoints: readonly Endpoint[]): Endpoint[] =>
  [...endpoints].sort((a, b) => Number(a.conditions?.ready !== false) - Number(b.conditions?.ready !== false));

const serviceOf = ({ metadata }: EndpointSlice): string =>
  `${metadata.namespace ?? ''}/${metadata.labels?.['kubernetes.io/service-name'] ?? ''}`;

interface ListedProps {
  readonly feed: ObjectFeed | undefined;
  readonly none: string;
  readonly children: (items: readonly ApiObject[]) => ComponentChildren;
}

function Listed({ feed, none, children }: ListedProps) {
  const items = feed?.items.value ?? [];
  if (items.length > 0) return <>{children(items)}</>;
  if (feed?.state.value === 'loading') return <p class="dim">{T.state.loading}</p>;
  return feed?.error.value === undefined ? <p class="dim">{none}</p> : null;
}

function Services({ services, slices }: { services: readonly ApiObject[]; slices: readonly EndpointSlice[] }) {
  const endpointsOf = useMemo(() => {
    const byService = new Map<string, Endpoint[]>();
    for (const slice of slices) {
      const service = serviceOf(slice);
      byService.set(service, [...(byService.get(service) ?? []), ...(slice.endpoints ?? [])]);
    }
    return byService;
  }, [slices]);
  return (
    <table class="plain">
      <HeadRow titles={[columns.service, columns.address, columns.ports, columns.endpoints]} />
      <tbody>
        {services.map((service) => {
          const { name, namespace = '', uid } = service.metadata;
          const endpoints = unreadyFirst(endpointsOf.get(`${namespace}/${name}`) ?? []);
          const ports = (service.spec?.['ports'] ?? []) as readonly ServicePort[];
          return (
            <tr key={uid}>
              <th scope="row">
                <a href={objectLink('services', { namespace, name })}>
                  {visible(namespace)}/{visible(name)}
                </a>
              </th>
              <td>{visible(service.spec?.['clusterIP'] ?? service.spec?.['externalName'])}</td>
              <td>
                {ports
                  .map(
                    ({ port, targetPort, protocol }) =>
                      `${port ?? ''}→${targetPort ?? port ?? ''}/${protocol ?? 'TCP'}`,
                  )
                  .join(', ')}
              </td>
              <td>
                {endpoints.length === 0 && <Pill health="bad" text={T.network.noEndpoints} />}
                <ul class="endpoints">
                  {endpoints.slice(0, MAX_ENDPOINTS).map(({ addresses = [], conditions, targetRef }) => (
                    <li key={addresses.join()}>
                      <Pill health={conditions?.ready === false ? 'wait' : 'ok'} text={addresses.join(', ')} />
                      {targetRef?.kind === 'Pod' && targetRef.name && (
                        <a href={objectLink('pods', { namespace, name: targetRef.name })}>
                          {visible(targetRef.name, 60)}
                        </a>
                      )}
                    </li>
                  ))}
                </ul>
                {endpoints.length > MAX_ENDPOINTS && (
                  <a href={objectLink('services', { namespace, name })}>
                    {T.state.more(endpoints.length - MAX_ENDPOINTS)}
                  </a>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Policies({ policies }: { policies: readonly ApiObject[] }) {
  return (
    <table class="plain">
      <HeadRow titles={[columns.policy, columns.pods, columns.from, columns.to]} />
      <tbody>
        {policies.map(({ metadata, spec = {} }) => (
          <tr key={metadata.uid}>
            <th scope="row">
              <a href={objectLink('networkpolicies.networking.k8s.io', metadata)}>
                {visible(metadata.namespace)}/{visible(metadata.name)}
              </a>
            </th>
            <td>{selectorText(spec['podSelector']) || T.network.allPods}</td>
            <td>
              <Rules restricts={restricts(spec, 'Ingress')} rules={spec['ingress']} direction="from" />
            </td>
            <td>
              <Rules restricts={restricts(spec, 'Egress')} rules={spec['egress']} direction="to" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** Empty when it selects everything. */
function selectorText(value: unknown): string {
  const { matchLabels = {}, matchExpressions = [] } = (value ?? {}) as Selector;
  const parts = [
    ...Object.entries(matchLabels).map(([key, of]) => `${key}=${of}`),
    ...matchExpressions.map(({ key, operator, values = [] }) => `${key} ${operator} ${values.join('|')}`),
  ];
  return visible(parts.join(', '), 200);
}

interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr?: string };
}

interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly {
    readonly port?: number | string;
    readonly endPort?: number;
    readonly protocol?: string;
  }[];
}

/** A policy leaves the direction alone that it does not name. */
const restricts = (spec: Readonly<Record<string, unknown>>, direction: string): boolean =>
  ((spec['policyTypes'] ?? ['Ingress']) as readonly string[]).includes(direction);

function Rules(props: { restricts: boolean; rules: unknown; direction: 'from' | 'to' }) {
  const rules = (props.rules ?? []) as readonly Rule[];
  if (!props.restricts) return <span class="dim">{T.network.notRestricted}</span>;
  if (rules.length === 0) return <>{T.network.nobody}</>;
  return (
    <ul>
      {rules.map((rule, at) => (
        <li key={at}>
          {peersText(rule[props.direction])}
          {portsText(rule.ports)}
        </li>
      ))}
    </ul>
  );
}

function peersText(peers: readonly Peer[] = []): string {
  if (peers.length === 0) return T.network.anyone;
  return peers
    .map(({ ipBlock, podSelector, namespaceSelector }) => {
      if (ipBlock) return visible(ipBlock.cidr);
      const pods = selectorText(podSelector) || T.network.allPods;
      return namespaceSelector ? T.network.inNamespaces(pods, selectorText(namespaceSelector)) : pods;
    })
    .join('; ');
}

function portsText(ports: Rule['ports'] = []): string {
  if (ports.length === 0) return '';
  const each = ports.map(
    ({ port, endPort, protocol = 'TCP' }) =>
      `${port ?? 'any'}${endPort === undefined ? '' : `-${endPort}`}/${protocol}`,
  );
  return `, port ${visible(each.join(', '), 200)}`;
}
