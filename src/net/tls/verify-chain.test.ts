import { beforeAll, describe, expect, it } from 'vitest';
import * as x509 from '../x509/index.ts';
import { certificatesOfDer, certificatesOfPem } from './certificate.ts';
import { CLIENT_AUTH, makeCertificate, SERVER_AUTH, type MadeCertificate, type Shape } from './testing/index.ts';
import { CertificatePool } from './trust-anchors.ts';
import { verifyChain, type VerifyOptions } from './verify-chain.ts';

const DAY_MS = 24 * 3600 * 1000;

let root: MadeCertificate;
let intermediate: MadeCertificate;
beforeAll(async () => {
  root = await makeCertificate({ subject: 'CN=root', ca: true });
  intermediate = await makeCertificate({ subject: 'CN=intermediate', issuer: root, ca: true });
});

interface Given {
  readonly leaf: MadeCertificate;
  readonly sent?: readonly MadeCertificate[];
  readonly anchors: readonly MadeCertificate[];
  readonly usage?: VerifyOptions['usage'];
  readonly now?: number;
}

function verdict({ leaf, sent = [], anchors, usage = SERVER_AUTH, now = Date.now() }: Given): string {
  const [first, ...intermediates] = certificatesOfDer(Buffer.concat([leaf, ...sent].map(({ raw }) => raw)));
  const pool = new CertificatePool(certificatesOfPem(anchors.map(({ pem }) => pem).join('')));
  try {
    return `chain of ${verifyChain(first!, { anchors: pool, intermediates, now, usage }).length}`;
  } catch (error) {
    return (error as Error).message;
  }
}

const leafOf = (issuer: MadeCertificate | undefined, shape: Shape = {}) =>
  makeCertificate({ subject: 'CN=leaf', dns: ['a.example'], ...(issuer ? { issuer } : {}), ...shape });

/** A chain of authorities, the one that signs leaves last. */
async function authorities(count: number, shape: Shape = {}): Promise<MadeCertificate[]> {
  const made = [root];
  for (let i = 0; i < count; i++)
    made.push(await makeCertificate({ subject: `CN=authority-${i}`, issuer: made.at(-1)!, ca: true, ...shape }));
  return made.slice(1);
}

describe('trusted chains', () => {
  const rows: [name: string, given: () => Promise<Given>, verdict: string | RegExp][] = [
    ['signed by an anchor', async () => ({ leaf: await leafOf(root), anchors: [root] }), 'chain of 2'],
    [
      'through an intermediate that the peer sent',
      async () => ({ leaf: await leafOf(intermediate), sent: [intermediate], anchors: [root] }),
      'chain of 3',
    ],
    [
      'through an intermediate that the peer did not send',
      async () => ({ leaf: await leafOf(intermediate), anchors: [root] }),
      'x509: certificate signed by unknown authority',
    ],
    [
      'an intermediate that is an anchor',
      async () => ({ leaf: await leafOf(intermediate), anchors: [intermediate] }),
      'chain of 2',
    ],
    [
      'the certificate itself, self-signed',
      async () => leafOf(undefined).then((leaf) => ({ leaf, anchors: [leaf] })),
      'chain of 1',
    ],
    [
      'the certificate itself, signed by somebody',
      async () => leafOf(root).then((leaf) => ({ leaf, anchors: [leaf] })),
      'chain of 1',
    ],
    [
      'the certificate itself, which says that it is no authority',
      async () => leafOf(undefined, { ca: false }).then((leaf) => ({ leaf, anchors: [leaf] })),
      'chain of 1',
    ],
    [
      'nobody',
      async () => ({ leaf: await leafOf(root), anchors: [] }),
      'x509: certificate signed by unknown authority',
    ],
    [
      'the root that the peer sent itself',
      async () => ({
        leaf: await leafOf(root),
        sent: [root],
        anchors: [await makeCertificate({ subject: 'CN=other', ca: true })],
      }),
      'x509: certificate signed by unknown authority',
    ],
    [
      'self-signed, of an unknown one',
      async () => ({ leaf: await leafOf(undefined), anchors: [root] }),
      'x509: certificate signed by unknown authority',
    ],
    [
      'an authority of the same name with another key',
      async () => ({ leaf: await leafOf(root), anchors: [await makeCertificate({ subject: 'CN=root', ca: true })] }),
      'x509: certificate signed by unknown authority (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "root")',
    ],
    [
      'two authorities of one name without identifiers, the second of them right',
      async () => {
        const [old, renewed] = [
          await makeCertificate({ subject: 'CN=ca', ca: true, withoutKeyIds: true }),
          await makeCertificate({ subject: 'CN=ca', ca: true, withoutKeyIds: true }),
        ];
        return { leaf: await leafOf(renewed, { withoutKeyIds: true }), anchors: [old, renewed] };
      },
      'chain of 2',
    ],
    [
      'a leaf that signs',
      async () =>
        leafOf(root).then(async (signer) => ({
          leaf: await leafOf(signer, { subject: 'CN=below' }),
          sent: [signer],
          anchors: [root],
        })),
      /^x509: certificate signed by unknown authority \(possibly because of "x509: invalid signature: parent certificate cannot sign this kind of certificate"/,
    ],
    [
      'an authority that may not sign certificates',
      async () =>
        makeCertificate({ subject: 'CN=ca', ca: true, keyUsage: x509.KeyUsageFlags.digitalSignature }).then(
          async (ca) => ({ leaf: await leafOf(ca), anchors: [ca] }),
        ),
      /parent certificate cannot sign this kind of certificate/,
    ],
    [
      'a path that is longer than an authority allows',
      async () => {
        const narrow = await makeCertificate({ subject: 'CN=narrow', ca: 0 });
        const below = await makeCertificate({ subject: 'CN=below', issuer: narrow, ca: true });
        return { leaf: await leafOf(below), sent: [below], anchors: [narrow] };
      },
      'x509: too many intermediates for path length constraint',
    ],
    [
      'a leaf directly below such an authority',
      async () =>
        makeCertificate({ subject: 'CN=narrow', ca: 0 }).then(async (narrow) => ({
          leaf: await leafOf(narrow),
          anchors: [narrow],
        })),
      'chain of 2',
    ],
    [
      'for servers, asked as a client',
      async () => ({ leaf: await leafOf(root, { usages: [SERVER_AUTH] }), anchors: [root], usage: CLIENT_AUTH }),
      'x509: certificate specifies an incompatible key usage',
    ],
    [
      'for clients, asked as a server',
      async () => ({ leaf: await leafOf(root, { usages: [CLIENT_AUTH] }), anchors: [root] }),
      'x509: certificate specifies an incompatible key usage',
    ],
    [
      'for any use',
      async () => ({ leaf: await leafOf(root, { usages: ['2.5.29.37.0'] }), anchors: [root], usage: CLIENT_AUTH }),
      'chain of 2',
    ],
    [
      'an anchor for clients only',
      async () =>
        makeCertificate({ subject: 'CN=ca', ca: true, usages: [CLIENT_AUTH] }).then(async (ca) => ({
          leaf: await leafOf(ca),
          anchors: [ca],
        })),
      'x509: certificate specifies an incompatible key usage',
    ],
    [
      'an extension that must be understood and is not',
      async () => ({
        leaf: await leafOf(root, { extensions: [new x509.Extension('1.2.3.4', true, new Uint8Array([5, 0]))] }),
        anchors: [root],
      }),
      'x509: unhandled critical extension',
    ],
    [
      'an extension that need not be understood',
      async () => ({
        leaf: await leafOf(root, { extensions: [new x509.Extension('1.2.3.4', false, new Uint8Array([5, 0]))] }),
        anchors: [root],
      }),
      'chain of 2',
    ],
  ];
  it.each(rows)('%s', async (_name, given, expected) => {
    expect(verdict(await given())).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
  });
});

describe('time', () => {
  it.each([
    [
      'the certificate has expired',
      { to: -0.5 },
      {},
      /^x509: certificate has expired or is not yet valid: current time \S+Z is after \S+Z$/,
    ],
    [
      'the certificate is not valid yet',
      { from: 0.5 },
      {},
      /^x509: certificate has expired or is not yet valid: current time \S+Z is before \S+Z$/,
    ],
    [
      'its authority has expired',
      {},
      { to: -0.5 },
      /^x509: certificate has expired or is not yet valid: current time \S+Z is after \S+Z$/,
    ],
    [
      'its authority is not valid yet',
      {},
      { from: 0.5 },
      /^x509: certificate has expired or is not yet valid: current time \S+Z is before \S+Z$/,
    ],
  ])('%s', async (_name, leafShape: Shape, caShape: Shape, expected) => {
    const ca = await makeCertificate({ subject: 'CN=ca', ca: true, ...caShape });
    expect(verdict({ leaf: await leafOf(ca, leafShape), anchors: [ca] })).toMatch(expected);
  });

  it('an anchor that is the certificate itself expires, too', async () => {
    const leaf = await leafOf(undefined, { to: -0.5 });
    expect(verdict({ leaf, anchors: [leaf] })).toMatch(/has expired/);
  });

  it('an expired authority beside its renewed one does no harm', async () => {
    const renewed = await makeCertificate({ subject: 'CN=ca', ca: true });
    const expired = await makeCertificate({ subject: 'CN=ca', ca: true, keys: renewed.keys, to: -0.5 });
    expect(verdict({ leaf: await leafOf(renewed), anchors: [expired, renewed] })).toBe('chain of 2');
  });

  it("is the given clock's", async () => {
    const leaf = await leafOf(root);
    expect(verdict({ leaf, anchors: [root], now: Date.now() + 2 * DAY_MS })).toMatch(/is after/);
  });
});

describe('name constraints', () => {
  /** permitted: dNSName example.com; excluded: dNSName bad.example.com, iPAddress 10.0.0.0/8 */
  const constraints = (): x509.Extension => {
    const dns = (name: string) =>
      Buffer.concat([Buffer.from([0x30, name.length + 2, 0x82, name.length]), Buffer.from(name)]);
    const net = Buffer.from([0x30, 10, 0x87, 8, 10, 0, 0, 0, 255, 0, 0, 0]);
    const permitted = dns('example.com');
    const excluded = Buffer.concat([dns('bad.example.com'), net]);
    const body = Buffer.concat([
      Buffer.from([0xa0, permitted.length]),
      permitted,
      Buffer.from([0xa1, excluded.length]),
      excluded,
    ]);
    return new x509.Extension('2.5.29.30', true, Buffer.concat([Buffer.from([0x30, body.length]), body]));
  };

  it.each([
    ['below what is permitted', { dns: ['a.example.com'] }, 'chain of 2'],
    [
      'outside of it',
      { dns: ['a.example.org'] },
      'x509: a root or intermediate certificate is not authorized to sign for this name: DNS name "a.example.org" is not permitted by any constraint',
    ],
    ['excluded', { dns: ['x.bad.example.com'] }, /DNS name "x\.bad\.example\.com" is excluded by constraint/],
    ['a wildcard that stands for what is excluded', { dns: ['*.example.com'] }, /is excluded by constraint/],
    ['an address in an excluded network', { ips: ['10.1.2.3'] }, /IP address .* is excluded by constraint/],
    ['another address', { ips: ['192.0.2.1'] }, 'chain of 2'],
  ])('%s', async (_name, shape: Shape, expected) => {
    const ca = await makeCertificate({ subject: 'CN=ca', ca: true, extensions: [constraints()] });
    const said = verdict({ leaf: await makeCertificate({ subject: 'CN=leaf', issuer: ca, ...shape }), anchors: [ca] });
    expect(said).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
  });
});

describe('work', () => {
  it('has an end when a peer sends many intermediates of one name', async () => {
    const many: MadeCertificate[] = [];
    for (let i = 0; i < 22; i++)
      many.push(await makeCertificate({ subject: 'CN=many', issuer: root, ca: true, withoutKeyIds: true }));
    const leaf = await leafOf(await makeCertificate({ subject: 'CN=many', ca: true, withoutKeyIds: true }), {
      withoutKeyIds: true,
    });
    expect(verdict({ leaf, sent: many, anchors: [root] })).toBe(
      'x509: signature check attempts limit reached while verifying certificate chain',
    );
  });

  it('is little for authorities that vouch for each other in a circle', async () => {
    const a = await makeCertificate({ subject: 'CN=a', ca: true });
    const b = await makeCertificate({ subject: 'CN=b', issuer: a, ca: true });
    const aByB = await makeCertificate({ subject: 'CN=a', issuer: b, ca: true, keys: a.keys });
    expect(verdict({ leaf: await leafOf(b), sent: [b, aByB], anchors: [root] })).toBe(
      'x509: certificate signed by unknown authority',
    );
  });

  it('suffices for a long chain', async () => {
    const chain = await authorities(8);
    expect(verdict({ leaf: await leafOf(chain.at(-1)!), sent: chain, anchors: [root] })).toBe('chain of 10');
  });
});
