import { describe, expect, it } from 'vitest';
import type { Service } from '../api/generated/core-v1.ts';
import type { EndpointSlice } from '../api/generated/discovery-v1.ts';
import { answerQuery, type Zone } from './answer-query.ts';
import { ClusterRecords } from './cluster-records.ts';
import { RCODE, TYPE, type RecordData } from './message.ts';

const zone: Zone = { domain: 'cluster.local', ttl: 5, nameServerAddresses: ['10.96.0.10'] };

function service(name: string, spec: Service['spec'], namespace = 'default'): Service {
  return { metadata: { name, namespace }, spec };
}

function slice(
  serviceName: string,
  endpoints: EndpointSlice['endpoints'],
  ports: EndpointSlice['ports'] = [{ name: 'http', port: 8080, protocol: 'TCP' }],
  addressType = 'IPv4',
): EndpointSlice {
  return {
    metadata: {
      name: `${serviceName}-${addressType}`,
      namespace: 'default',
      labels: { 'kubernetes.io/service-name': serviceName },
    },
    addressType,
    endpoints,
    ports,
  };
}

function records(): ClusterRecords {
  const all = new ClusterRecords();
  for (const namespace of ['default', 'kube-system']) all.setNamespace(namespace);
  all.setService(
    service('web', {
      clusterIP: '10.96.0.20',
      clusterIPs: ['10.96.0.20', 'fd00:10:96::14'],
      ports: [
        { name: 'http', port: 80, protocol: 'TCP' },
        { name: 'quic', port: 443, protocol: 'UDP' },
      ],
    }),
  );
  all.setService(service('db', { clusterIP: 'None', clusterIPs: ['None'] }));
  all.setSlice(
    slice('db', [
      { addresses: ['10.244.0.5'], hostname: 'db-0' },
      { addresses: ['10.244.0.6'] },
      { addresses: ['10.244.0.7'], conditions: { ready: false } },
    ]),
  );
  all.setSlice(
    slice(
      'db',
      [{ addresses: ['fd00:244::5'], hostname: 'db-0' }],
      [{ name: 'http', port: 8080, protocol: 'TCP' }],
      'IPv6',
    ),
  );
  all.setService(service('out', { type: 'ExternalName', externalName: 'example.org.' }));
  all.setService(service('alias', { type: 'ExternalName', externalName: 'web.default.svc.cluster.local' }));
  all.setService(service('round', { type: 'ExternalName', externalName: 'round.default.svc.cluster.local' }));
  return all;
}

const text = (data: RecordData): string => {
  if ('bytes' in data) return `TYPE${data.type}`;
  switch (data.type) {
    case 'A':
    case 'AAAA':
      return data.address;
    case 'SRV':
      return `${data.priority} ${data.weight} ${data.port} ${data.target}`;
    case 'TXT':
      return data.texts.join(' ');
    case 'SOA':
      return 'SOA';
    default:
      return data.target;
  }
};

const base = 'default.svc.cluster.local';

const table: [
  name: string,
  type: keyof typeof TYPE,
  expected: string[] | 'NXDOMAIN' | 'NODATA' | 'OUTSIDE' | 'REFUSED' | 'SERVFAIL',
][] = [
  [`web.${base}`, 'A', ['10.96.0.20']],
  [`WEB.Default.SVC.cluster.LOCAL`, 'A', ['10.96.0.20']],
  [`web.${base}`, 'AAAA', ['fd00:10:96::14']],
  [`web.${base}`, 'SRV', [`0 50 80 web.${base}`, `0 50 443 web.${base}`]],
  [`web.${base}`, 'MX', 'NODATA'],
  [`_http._tcp.web.${base}`, 'SRV', [`0 100 80 web.${base}`]],
  [`_quic._udp.web.${base}`, 'SRV', [`0 100 443 web.${base}`]],
  [`_http._udp.web.${base}`, 'SRV', 'NXDOMAIN'],
  [`_tcp.web.${base}`, 'SRV', 'NODATA'],
  [`_sctp.web.${base}`, 'SRV', 'NXDOMAIN'],
  [`_http._tcp.web.${base}`, 'A', 'NODATA'],
  [`x.web.${base}`, 'A', 'NXDOMAIN'],
  [`db.${base}`, 'A', ['10.244.0.5', '10.244.0.6']],
  [`db.${base}`, 'AAAA', ['fd00:244::5']],
  [`db-0.db.${base}`, 'A', ['10.244.0.5']],
  [`db-0.db.${base}`, 'AAAA', ['fd00:244::5']],
  [`10-244-0-6.db.${base}`, 'A', ['10.244.0.6']],
  [`10-244-0-7.db.${base}`, 'A', 'NXDOMAIN'],
  [
    `_http._tcp.db.${base}`,
    'SRV',
    [`0 33 8080 db-0.db.${base}`, `0 33 8080 10-244-0-6.db.${base}`, `0 33 8080 db-0.db.${base}`],
  ],
  [`out.${base}`, 'CNAME', ['example.org']],
  [`out.${base}`, 'A', 'OUTSIDE'],
  [`alias.${base}`, 'A', [`web.${base}`, '10.96.0.20']],
  [`round.${base}`, 'A', 'SERVFAIL'],
  [`none.${base}`, 'A', 'NXDOMAIN'],
  ['web.none.svc.cluster.local', 'A', 'NXDOMAIN'],
  ['web.kube-system.svc.cluster.local', 'A', 'NXDOMAIN'],
  [base, 'A', 'NODATA'],
  ['svc.cluster.local', 'A', 'NODATA'],
  ['other.cluster.local', 'A', 'NXDOMAIN'],
  ['10-244-0-9.default.pod.cluster.local', 'A', ['10.244.0.9']],
  ['10-244-0-999.default.pod.cluster.local', 'A', 'NXDOMAIN'],
  ['fd00--9.default.pod.cluster.local', 'AAAA', ['fd00::9']],
  ['10-244-0-9.none.pod.cluster.local', 'A', 'NXDOMAIN'],
  ['words.default.pod.cluster.local', 'A', 'NXDOMAIN'],
  ['dns-version.cluster.local', 'TXT', ['1.1.0']],
  ['cluster.local', 'SOA', ['SOA']],
  ['cluster.local', 'NS', ['ns.dns.cluster.local']],
  ['ns.dns.cluster.local', 'A', ['10.96.0.10']],
  ['cluster.local', 'AXFR', 'REFUSED'],
  ['20.0.96.10.in-addr.arpa', 'PTR', [`web.${base}`]],
  ['4.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.6.9.0.0.0.1.0.0.0.0.d.f.ip6.arpa', 'PTR', [`web.${base}`]],
  ['5.0.244.10.in-addr.arpa', 'PTR', [`db-0.db.${base}`]],
  ['6.0.244.10.in-addr.arpa', 'PTR', [`10-244-0-6.db.${base}`]],
  ['7.0.244.10.in-addr.arpa', 'PTR', 'OUTSIDE'],
  ['example.org', 'A', 'OUTSIDE'],
  ['notcluster.local', 'A', 'OUTSIDE'],
];

describe('answers from cluster records', () => {
  it.each(table)('%s %s', (name, type, expected) => {
    const answer = answerQuery(records(), zone, { name, type: TYPE[type], class: 1 });
    if (expected === 'OUTSIDE') return expect(answer === undefined || answer.forwardName !== undefined).toBe(true);
    if (expected === 'NODATA')
      return expect(answer).toMatchObject({
        rcode: RCODE.NOERROR,
        answers: [],
        authority: [{ name: 'cluster.local', data: { type: 'SOA', minimum: 5 } }],
      });
    if (expected === 'NXDOMAIN')
      return expect(answer).toMatchObject({
        rcode: RCODE.NXDOMAIN,
        answers: [],
        authority: [{ data: { type: 'SOA' } }],
      });
    if (typeof expected === 'string') return expect(answer?.rcode).toBe(RCODE[expected]);
    expect(answer!.answers.map(({ data }) => text(data)).sort()).toEqual([...expected].sort());
    expect(answer!.rcode).toBe(RCODE.NOERROR);
  });

  it('sends the addresses of SRV targets along', () => {
    const answer = answerQuery(records(), zone, { name: `_http._tcp.db.${base}`, type: TYPE.SRV, class: 1 });
    expect(answer!.additional.map(({ name, data }) => `${name} ${text(data)}`)).toEqual([
      `db-0.db.${base} 10.244.0.5`,
      `10-244-0-6.db.${base} 10.244.0.6`,
      `db-0.db.${base} fd00:244::5`,
    ]);
  });

  it('follows changes of endpoints and Services', () => {
    const all = records();
    const ask = (name: string) =>
      answerQuery(all, zone, { name, type: TYPE.A, class: 1 })?.answers.map(({ data }) => text(data));
    all.setSlice(slice('db', [{ addresses: ['10.244.0.7'] }]));
    expect(ask(`db.${base}`)).toEqual(['10.244.0.7']);
    expect(all.reverse('10.244.0.5')).toEqual([]);
    all.deleteSlice(slice('db', []));
    expect(ask(`db.${base}`)).toEqual([]);
    all.deleteService('default', 'web');
    expect(ask(`web.${base}`)).toEqual([]);
    expect(all.reverse('10.96.0.20')).toEqual([]);
  });
});
