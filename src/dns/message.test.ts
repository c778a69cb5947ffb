import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeMessage,
  encodeMessage,
  MalformedDnsMessage,
  TYPE,
  type DnsMessage,
  type ResourceRecord,
} from './message.ts';
import { addressOfReverseName } from './reverse-name.ts';

const answers: ResourceRecord[] = [
  { name: 'web.default.svc.cluster.local', ttl: 5, data: { type: 'A', address: '10.96.0.20' } },
  { name: 'web.default.svc.cluster.local', ttl: 5, data: { type: 'AAAA', address: 'fd00:10:96::14' } },
  {
    name: '_http._tcp.web.default.svc.cluster.local',
    ttl: 5,
    data: { type: 'SRV', priority: 0, weight: 100, port: 80, target: 'web.default.svc.cluster.local' },
  },
  { name: 'out.default.svc.cluster.local', ttl: 5, data: { type: 'CNAME', target: 'example.org' } },
  { name: 'dns-version.cluster.local', ttl: 28_800, data: { type: 'TXT', texts: ['1.1.0', 'second'] } },
  {
    name: 'cluster.local',
    ttl: 5,
    data: {
      type: 'SOA',
      primary: 'ns.dns.cluster.local',
      mailbox: 'hostmaster.cluster.local',
      serial: 1,
      refresh: 2,
      retry: 3,
      expire: 4,
      minimum: 5,
    },
  },
  { name: 'example.org', ttl: 60, data: { type: TYPE.MX, bytes: Buffer.from([0, 10, 0]) } },
];

describe('DNS messages', () => {
  it('survive a round trip', () => {
    const message: DnsMessage = {
      id: 4711,
      response: true,
      opcode: 0,
      authoritative: true,
      truncated: false,
      recursionDesired: true,
      recursionAvailable: false,
      rcode: 3,
      questions: [{ name: 'web.default.svc.cluster.local', type: TYPE.A, class: 1 }],
      answers,
      authority: answers.slice(5, 6),
      additional: [],
      edns: { size: 1232, dnssecOk: true, version: 0 },
    };
    const decoded = decodeMessage(encodeMessage(message));
    expect({
      ...decoded,
      answers: decoded.answers!.map(({ name, ttl, data }) => ({ name, ttl, data })),
      authority: decoded.authority!.map(({ name, ttl, data }) => ({ name, ttl, data })),
    }).toEqual(message);
  });

  it('are the bytes that every resolver sends', () => {
    // id 1, recursion desired, one question: a.b IN A.
    expect(
      encodeMessage({ id: 1, recursionDesired: true, questions: [{ name: 'a.b', type: TYPE.A, class: 1 }] }).toString(
        'hex',
      ),
    ).toBe('00010100000100000000000001610162000001' + '0001');
  });

  it('repeat no name', () => {
    const once = encodeMessage({ id: 1, questions: [], answers: answers.slice(0, 1) }).length;
    const twice = encodeMessage({ id: 1, questions: [], answers: [answers[0]!, answers[0]!] }).length;
    expect(twice - once).toBe(2 + 10 + 4);
  });

  it('that do not fit are truncated to whole records', () => {
    const many = Array.from({ length: 100 }, (_, i): ResourceRecord => ({
      name: 'db.default.svc.cluster.local',
      ttl: 5,
      data: { type: 'A', address: `10.244.0.${i}` },
    }));
    const bytes = encodeMessage(
      {
        id: 1,
        response: true,
        questions: [{ name: 'db.default.svc.cluster.local', type: TYPE.A, class: 1 }],
        answers: many,
        edns: { size: 1232 },
      },
      512,
    );
    expect(bytes.length).toBeLessThanOrEqual(512);
    const decoded = decodeMessage(bytes);
    expect(decoded.truncated).toBe(true);
    expect(decoded.answers!.length).toBeGreaterThan(20);
    expect(decoded.edns).toMatchObject({ size: 1232 });
  });

  it('of any bytes are read or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        try {
          decodeMessage(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedDnsMessage);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ['points at itself', 'c00c'],
    ['points forward', 'c0ff'],
    ['has a label past the end', '3f61'],
  ])('with a name that %s are refused', (_what, name) => {
    expect(() => decodeMessage(Buffer.from(`000100000001000000000000${name}`, 'hex'))).toThrow(MalformedDnsMessage);
  });
});

it.each([
  ['4.3.2.1.in-addr.arpa', '1.2.3.4'],
  ['256.3.2.1.in-addr.arpa', undefined],
  ['3.2.1.in-addr.arpa', undefined],
  ['5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.4.4.2.0.0.0.d.f.ip6.arpa', 'fd00:244::5'],
  ['0.0.0.0.ip6.arpa', undefined],
])('the reverse name %s is of %s', (name, address) => {
  expect(addressOfReverseName(name)).toBe(address);
});
