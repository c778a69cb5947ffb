/**
 * Answers a question from the cluster's records, as the Kubernetes DNS specification says:
 *
 *     SERVICE.NS.svc.ZONE                     A/AAAA of the cluster IPs, or of every ready endpoint when headless; CNAME for ExternalName
 *     _PORT._PROTO.SERVICE.NS.svc.ZONE        SRV
 *     HOSTNAME.SERVICE.NS.svc.ZONE            A/AAAA of one endpoint
 *     1-2-3-4.NS.pod.ZONE                     A/AAAA spelled by the name itself
 *     4.3.2.1.in-addr.arpa                    PTR
 */
import { isIPv6 } from 'node:net';
import type { ClusterRecords, Endpoint, ReverseName, ServicePort, ServiceRecord } from './cluster-records.ts';
import { CLASS_IN, RCODE, TYPE, type Question, type RecordData, type ResourceRecord } from './message.ts';
import { addressOfReverseName } from './reverse-name.ts';

export interface Zone {
  /** E.g. `cluster.local`. */
  readonly domain: string;
  readonly ttl: number;
  /** The addresses of the zone's name server: the cluster DNS addresses. */
  readonly nameServerAddresses: readonly string[];
}

export interface Answer {
  readonly rcode: number;
  readonly answers: readonly ResourceRecord[];
  readonly authority: readonly ResourceRecord[];
  readonly additional: readonly ResourceRecord[];
  /** Set when a CNAME leads out of the zone: the name that has to be forwarded. */
  readonly forwardName?: string;
}

const SPEC_VERSION = '1.1.0';
const MAX_ALIAS_CHAIN = 8;

/** Returns undefined for names outside of the zone. */
export function answerQuery(records: ClusterRecords, zone: Zone, question: Question): Answer | undefined {
  const name = question.name.toLowerCase();
  if (question.class !== CLASS_IN && question.class !== 255)
    return inZone(name, zone.domain) ? failed(RCODE.REFUSED) : undefined;
  if (name.endsWith('.arpa')) return answerReverse(records, zone, question);
  if (!inZone(name, zone.domain)) return undefined;
  if (question.type === TYPE.AXFR) return failed(RCODE.REFUSED);
  const answers: ResourceRecord[] = [];
  const additional: ResourceRecord[] = [];
  let current = question.name;
  for (let step = 0; step < MAX_ALIAS_CHAIN; step++) {
    const found = find(records, zone, current.toLowerCase());
    if (!found) return answers.length > 0 ? done(answers, additional) : negative(zone, RCODE.NXDOMAIN);
    const matching = found.records.filter(
      (data) => question.type === TYPE.ANY || TYPE[data.type as keyof typeof TYPE] === question.type,
    );
    for (const data of matching) answers.push({ name: current, ttl: zone.ttl, data });
    for (const { name: target, addresses } of matching.length > 0 && question.type === TYPE.SRV
      ? (found.targets ?? [])
      : []) {
      for (const address of addresses) additional.push({ name: target, ttl: zone.ttl, data: addressRecord(address) });
    }
    const alias = found.records.find((data) => data.type === 'CNAME');
    if (!alias || matching.length > 0)
      return answers.length > 0 ? done(answers, additional) : negative(zone, RCODE.NOERROR);
    answers.push({ name: current, ttl: zone.ttl, data: alias });
    current = (alias as { target: string }).target;
    if (!inZone(current.toLowerCase(), zone.domain)) return { ...done(answers, additional), forwardName: current };
  }
  return failed(RCODE.SERVFAIL);
}

interface Found {
  readonly records: readonly RecordData[];
  /** The targets of the SRV records with their addresses. */
  readonly targets?: readonly { name: string; addresses: readonly string[] }[];
}

/**
 * The records of a name in the zone; none for a name that only has names below it; undefined if the name does not
 * exist.
 */
function find(records: ClusterRecords, zone: Zone, name: string): Found | undefined {
  if (name === zone.domain) return { records: [soa(zone), { type: 'NS', target: `ns.dns.${zone.domain}` }] };
  const labels = name.slice(0, -(zone.domain.length + 1)).split('.');
  const kind = labels.pop();
  if (kind === 'dns-version' && labels.length === 0) return { records: [{ type: 'TXT', texts: [SPEC_VERSION] }] };
  if (kind === 'dns') return findNameServer(zone, labels);
  if (kind !== 'svc' && kind !== 'pod') return undefined;
  const namespace = labels.pop();
  if (namespace === undefined) return { records: [] };
  if (!records.hasNamespace(namespace)) return undefined;
  if (labels.length === 0) return { records: [] };
  return kind === 'pod'
    ? findPod(labels)
    : findService(records, zone, { namespace, service: labels.pop()!, rest: labels });
}

function findNameServer(zone: Zone, labels: readonly string[]): Found | undefined {
  if (labels.length === 0) return { records: [] };
  return labels.length === 1 && labels[0] === 'ns'
    ? { records: zone.nameServerAddresses.map(addressRecord) }
    : undefined;
}

/** A pod's name is its address with dashes: `10-0-0-7`, or `fd00--7` for fd00::7. */
function findPod(labels: readonly string[]): Found | undefined {
  if (labels.length !== 1) return undefined;
  const [label = ''] = labels;
  if (/^\d{1,3}(-\d{1,3}){3}$/.test(label)) {
    const address = label.replaceAll('-', '.');
    return address.split('.').every((part) => Number(part) <= 255) ? { records: [{ type: 'A', address }] } : undefined;
  }
  const address = label.replaceAll('-', ':');
  return isIPv6(address) ? { records: [{ type: 'AAAA', address }] } : undefined;
}

interface ServiceName {
  readonly namespace: string;
  readonly service: string;
  /** The labels before the Service's own. */
  readonly rest: readonly string[];
}

function findService(
  records: ClusterRecords,
  zone: Zone,
  { namespace, service, rest }: ServiceName,
): Found | undefined {
  const record = records.service(namespace, service);
  if (!record) return undefined;
  const base = `${service}.${namespace}.svc.${zone.domain}`;
  if (rest.length === 0) return serviceRecords(record, base);
  if (rest.at(-1)!.startsWith('_')) return findPorts(record, base, rest);
  if (record.kind !== 'headless' || rest.length !== 1) return undefined;
  const endpoints = record.endpoints.filter((endpoint) => endpoint.name === rest[0]);
  return endpoints.length > 0 ? { records: endpoints.map(({ address }) => addressRecord(address)) } : undefined;
}

function serviceRecords(record: ServiceRecord, base: string): Found {
  if (record.kind === 'external-name') return { records: [{ type: 'CNAME', target: record.target }] };
  const ports = srvRecords(record, base, () => true);
  if (record.kind === 'cluster-ip')
    return { records: [...record.addresses.map(addressRecord), ...ports.records], targets: ports.targets };
  return {
    records: [...record.endpoints.map(({ address }) => addressRecord(address)), ...ports.records],
    targets: ports.targets,
  };
}

function findPorts(record: ServiceRecord, base: string, rest: readonly string[]): Found | undefined {
  if (record.kind === 'external-name' || rest.length > 2) return undefined;
  const protocol = rest.at(-1)!.slice(1);
  const exists = portsOf(record).some((port) => port.protocol === protocol);
  if (rest.length === 1) return exists ? { records: [] } : undefined;
  if (!rest[0]!.startsWith('_')) return undefined;
  const name = rest[0]!.slice(1);
  const found = srvRecords(record, base, (port) => port.protocol === protocol && port.name === name);
  return found.records.length > 0 ? found : undefined;
}

const portsOf = (record: ServiceRecord): readonly ServicePort[] =>
  record.kind === 'cluster-ip'
    ? record.ports
    : record.kind === 'headless'
      ? record.endpoints.flatMap((endpoint) => endpoint.ports)
      : [];

function srvRecords(
  record: ServiceRecord,
  base: string,
  wanted: (port: ServicePort) => boolean,
): { records: RecordData[]; targets: { name: string; addresses: readonly string[] }[] } {
  if (record.kind === 'external-name') return { records: [], targets: [] };
  const targets: { target: string; addresses: readonly string[]; ports: readonly ServicePort[] }[] =
    record.kind === 'cluster-ip'
      ? [{ target: base, addresses: record.addresses, ports: record.ports }]
      : record.endpoints.map(({ name, address, ports }: Endpoint) => ({
          target: `${name}.${base}`,
          addresses: [address],
          ports,
        }));
  const found = targets
    .map((place) => ({ ...place, ports: place.ports.filter(wanted) }))
    .filter(({ ports }) => ports.length > 0);
  const count = found.reduce((sum, { ports }) => sum + ports.length, 0);
  // Equal records share a weight of 100, as in CoreDNS.
  const weight = count === 0 ? 0 : Math.max(1, Math.floor(100 / count));
  return {
    records: found.flatMap(({ target, ports }) =>
      ports.map(({ port }): RecordData => ({ type: 'SRV', priority: 0, weight, port, target })),
    ),
    targets: found.map(({ target, addresses }) => ({ name: target, addresses })),
  };
}

function answerReverse(records: ClusterRecords, zone: Zone, question: Question): Answer | undefined {
  const address = addressOfReverseName(question.name);
  if (address === undefined) return undefined;
  const names = records.reverse(address);
  if (names.length === 0) return undefined;
  if (question.type !== TYPE.PTR && question.type !== TYPE.ANY) return negative(zone, RCODE.NOERROR);
  return done(
    names.map((name) => ({ name: question.name, ttl: zone.ttl, data: { type: 'PTR', target: fullName(name, zone) } })),
  );
}

const fullName = ({ endpoint, service, namespace }: ReverseName, zone: Zone): string =>
  `${endpoint === undefined ? '' : `${endpoint}.`}${service}.${namespace}.svc.${zone.domain}`;

const inZone = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`);

const addressRecord = (address: string): RecordData => ({ type: address.includes(':') ? 'AAAA' : 'A', address });

const soa = (zone: Zone): RecordData => ({
  type: 'SOA',
  primary: `ns.dns.${zone.domain}`,
  mailbox: `hostmaster.${zone.domain}`,
  // The zone is never transferred, so the serial never has to change.
  serial: 1,
  refresh: 7200,
  retry: 1800,
  expire: 86_400,
  minimum: zone.ttl,
});

const done = (answers: readonly ResourceRecord[], additional: readonly ResourceRecord[] = []): Answer => ({
  rcode: RCODE.NOERROR,
  answers,
  authority: [],
  additional,
});
const failed = (rcode: number): Answer => ({ rcode, answers: [], authority: [], additional: [] });
/** A negative answer carries the SOA, which says how long resolvers may cache it. */
const negative = (zone: Zone, rcode: number): Answer => ({
  rcode,
  answers: [],
  authority: [{ name: zone.domain, ttl: zone.ttl, data: soa(zone) }],
  additional: [],
});
