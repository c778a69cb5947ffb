import { describe, expect, it } from 'vitest';
import { parseCorefile } from './corefile.ts';

const parse = (text: string) => parseCorefile(text, 'cluster.local');

/** As kubeadm installs it. */
const STOCK = `
.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30 {
       disable success cluster.local
       disable denial cluster.local
    }
    loop
    reload
    loadbalance
}
`;

describe('a Corefile', () => {
  it('of a stock cluster is followed', () => {
    expect(parse(STOCK)).toEqual([
      { zone: '', kubernetes: true, ttl: 30, forwards: [{ zone: '', servers: undefined }] },
    ]);
  });

  it('may have a server block for each zone, comments and quotes', () => {
    const blocks = parse(`
      # stub domains
      Corp.Example. other.example:53, dns://third.example { # all three
        forward . 10.0.0.53 "[fd00::53]:5353" dns://10.0.0.54:5353
      }
      . {
        forward one.example 192.0.2.1
        forward . fd00::1
      }`);
    const servers = ['10.0.0.53', '[fd00::53]:5353', '10.0.0.54:5353'];
    const stub = { kubernetes: false, ttl: undefined, forwards: [{ zone: '', servers }] };
    expect(blocks).toEqual([
      { zone: 'corp.example', ...stub },
      { zone: 'other.example', ...stub },
      { zone: 'third.example', ...stub },
      {
        zone: '',
        kubernetes: false,
        ttl: undefined,
        forwards: [
          { zone: 'one.example', servers: ['192.0.2.1'] },
          { zone: '', servers: ['fd00::1'] },
        ],
      },
    ]);
  });

  it.each([
    ['a plugin', '. {\n hosts {\n 10.0.0.1 a\n }\n}', 'line 2: plugin "hosts" is not supported'],
    ['a zone twice', 'a {\n}\nA. {\n}', 'line 3: the zone of A. is defined twice'],
    ['another port', '.:1053 {\n}', 'line 1: port 1053 is not supported: cluster DNS is on port 53'],
    ['DNS over TLS', 'tls://. {\n}', 'line 1: tls:// is not supported'],
    ['a network', '10.0.0.0/24 {\n}', 'line 1: "10.0.0.0/24" is not a zone'],
    ['no server block', 'import other', 'line 1: "import" has no server block'],
    ['a block that is open', '. {\n forward . 1.1.1.1 {\n }', 'line 1: the block is not closed'],
    ['a brace too many', '. {\n}\n}', 'line 3: unexpected "}"'],
    ['braces in braces', '. {\n a {\n b {\n', 'line 3: unexpected "{"'],
    ['a variable', '. {\n forward . {$DNS}\n}', 'line 2: {$DNS}: environment variables are not supported'],
    ['forward without servers', '. {\n forward .\n}', 'line 2: forward needs a zone and servers'],
    [
      'forward to a name',
      '. {\n forward . dns.example\n}',
      'line 2: forward to "dns.example" is not supported: it must be an address, or /etc/resolv.conf',
    ],
    [
      'forward to no port',
      '. {\n forward . 1.1.1.1:70000\n}',
      'line 2: forward to "1.1.1.1:70000" is not supported: it must be an address, or /etc/resolv.conf',
    ],
    [
      'an option of forward',
      '. {\n forward . 1.1.1.1 {\n except a\n }\n}',
      'line 3: option "except" of forward is not supported',
    ],
    [
      'another cluster domain',
      '. {\n kubernetes other.local\n}',
      'line 2: kubernetes must have the zone cluster.local, and no others than reverse ones',
    ],
    [
      'an option of kubernetes',
      '. {\n kubernetes cluster.local {\n pods disabled\n }\n}',
      'line 3: option "pods disabled" of kubernetes is not supported',
    ],
  ])('is refused for %s', (_what, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('costs no more than its length', () => {
    const zones = Array.from({ length: 50_000 }, (_, i) => `z${i}.example`).join(' ');
    expect(parse(`${zones} {\n forward . 1.1.1.1\n}`)).toHaveLength(50_000);
    expect(() => parse('{'.repeat(500_000))).toThrow();
    expect(() => parse(`. {\n forward . ${'['.repeat(500_000)}\n}`)).toThrow();
  });
});
