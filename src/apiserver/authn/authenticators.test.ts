import { createHash, createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RealClock } from '../../kernel/index.ts';
import { CLIENT_AUTH, makeCertificate } from '../../net/tls/testing/index.ts';
import * as x509 from '../../net/x509/index.ts';
import { createAuthority, createSigningKey, issue, type Authority } from '../pki/certificates.ts';
import { openPki, type ClusterPki } from '../pki/files.ts';
import { createLoopback } from '../request/loopback.ts';
import type { ApiRequest, PeerCertificate } from '../request/request.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';
import { AnonymousAuthenticator } from './anonymous.ts';
import { BearerTokens } from './bearer-tokens.ts';
import { BootstrapTokens } from './bootstrap-tokens.ts';
import { ClientCertificateAuthenticator } from './client-certificate.ts';
import { DEFAULT_REQUEST_HEADERS, RequestHeaderAuthenticator } from './request-header.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { StaticTokens } from './static-tokens.ts';

let server: TestServer;
let pki: ClusterPki;
const ignore = (): void => {};

beforeAll(async () => {
  server = await startTestServer();
  pki = await openPki(server.ctx, undefined, { dnsNames: [], addresses: [] });
});
afterAll(() => server.stop());

function request(headers: ApiRequest['headers'] = {}, peerCertificate?: PeerCertificate, path = '/api'): ApiRequest {
  return {
    method: 'GET',
    path,
    query: new URLSearchParams(),
    headers,
    readBody: () => Promise.resolve(Buffer.alloc(0)),
    remoteAddress: '',
    signal: server.ctx.signal,
    ...(peerCertificate ? { peerCertificate } : {}),
  };
}

async function certificate(
  ca: Authority,
  commonName: string,
  usage: 'client' | 'server' = 'client',
  days = 1,
): Promise<PeerCertificate> {
  const pair = await issue(server.ctx, ca, { commonName, organizations: ['devs', 'ops'], usage, days });
  return { raw: Buffer.from(new x509.X509Certificate(pair.certificate).rawData) };
}

describe('client certificates', () => {
  it('name a user and its groups', async () => {
    const user = new ClientCertificateAuthenticator(server.ctx, () => pki.ca.certificate).authenticate(
      request({}, await certificate(pki.ca, 'jane')),
    );
    expect(user).toMatchObject({ name: 'jane', groups: ['devs', 'ops', 'system:authenticated'] });
    expect(user?.extra?.['authentication.kubernetes.io/credential-id']?.[0]).toMatch(/^X509SHA256=[0-9a-f]{64}$/);
  });

  it('are counted by the lifetime that they have left', async () => {
    const { metrics } = server.ctx;
    const authenticator = new ClientCertificateAuthenticator(server.ctx, () => pki.ca.certificate);
    const bucket = (seconds: string): number =>
      Number(
        new RegExp(`^apiserver_client_certificate_expiration_seconds_bucket\\{le="${seconds}"\\} (\\d+)$`, 'm').exec(
          metrics.expose(),
        )![1],
      );
    const before = [bucket('86400'), bucket('604800')];
    const peer = await certificate(pki.ca, 'jane', 'client', 5);
    authenticator.authenticate(request({}, peer));
    authenticator.authenticate(request({}, peer));
    expect([bucket('86400'), bucket('604800')]).toEqual([before[0], before[1]! + 2]);
  });

  it('are ignored without the CA, for servers only, or without a name', async () => {
    const authenticator = new ClientCertificateAuthenticator(server.ctx, () => pki.ca.certificate);
    expect(
      authenticator.authenticate(
        request({}, await certificate(await createAuthority(server.ctx, 'kubernetes'), 'jane')),
      ),
    ).toBeUndefined();
    expect(authenticator.authenticate(request({}, await certificate(pki.ca, 'jane', 'server')))).toBeUndefined();
    expect(authenticator.authenticate(request({}, await certificate(pki.ca, '')))).toBeUndefined();
  });

  it('expire', async () => {
    const peer = await certificate(pki.ca, 'jane', 'client', -1);
    expect(() =>
      new ClientCertificateAuthenticator(server.ctx, () => pki.ca.certificate).authenticate(request({}, peer)),
    ).toThrow('Unauthorized');
  });

  it('of an authority that has expired are 401', async () => {
    const authority = await createAuthority(server.ctx, 'old', 2);
    const peer = await certificate(authority, 'jane', 'client', 30);
    const authenticator = new ClientCertificateAuthenticator(server.ctx, () => authority.certificate);
    expect(authenticator.authenticate(request({}, peer))?.name).toBe('jane');
    await server.ctx.clock.advance(3 * 24 * 3600 * 1000);
    expect(() => authenticator.authenticate(request({}, peer))).toThrow('Unauthorized');
  });

  it.each([
    ['the last of several common names', 'CN=first, CN=last, O=a', 'last', ['a']],
    ['all organizations, in their order', 'O=b, CN=jane, O=a', 'jane', ['b', 'a']],
    ['a name of several parts at once', 'CN=jane+O=a, O=b', 'jane', ['a', 'b']],
  ])('name the user by %s', async (_name, subject, name, groups) => {
    const ca = await makeCertificate({ subject: 'CN=ca', ca: true });
    const { raw } = await makeCertificate({ subject, issuer: ca, usages: [CLIENT_AUTH] });
    const authenticator = new ClientCertificateAuthenticator({ ...server.ctx, clock: new RealClock() }, () => ca.pem);
    expect(authenticator.authenticate(request({}, { raw }))).toMatchObject({
      name,
      groups: [...groups, 'system:authenticated'],
    });
  });

  it('are verified through the intermediates that the client sent', async () => {
    const ca = await makeCertificate({ subject: 'CN=ca', ca: true });
    const between = await makeCertificate({ subject: 'CN=between', issuer: ca, ca: true });
    const { raw } = await makeCertificate({ subject: 'CN=jane', issuer: between, usages: [CLIENT_AUTH] });
    const authenticator = new ClientCertificateAuthenticator({ ...server.ctx, clock: new RealClock() }, () => ca.pem);
    const user = authenticator.authenticate(request({}, { raw: Buffer.concat([raw, between.raw]) }));
    expect(user).toMatchObject({
      name: 'jane',
      extra: {
        'authentication.kubernetes.io/credential-id': [`X509SHA256=${createHash('sha256').update(raw).digest('hex')}`],
      },
    });
    expect(authenticator.authenticate(request({}, { raw }))).toBeUndefined();
  });

  it('that cannot be parsed are ignored', () => {
    const authenticator = new ClientCertificateAuthenticator(server.ctx, () => pki.ca.certificate);
    for (const raw of [Buffer.from('nonsense'), Buffer.from([0x30, 0x80]), Buffer.alloc(0)])
      expect(authenticator.authenticate(request({}, { raw }))).toBeUndefined();
  });

  it('follow a bundle that changes', async () => {
    const newCa = await createAuthority(server.ctx, 'next');
    let bundle = pki.ca.certificate;
    const authenticator = new ClientCertificateAuthenticator(server.ctx, () => bundle);
    const [old, next] = [await certificate(pki.ca, 'old'), await certificate(newCa, 'next')];
    expect(authenticator.authenticate(request({}, next))).toBeUndefined();
    bundle += newCa.certificate;
    expect(authenticator.authenticate(request({}, next))?.name).toBe('next');
    bundle = newCa.certificate;
    expect(authenticator.authenticate(request({}, old))).toBeUndefined();
  });
});

describe('the front proxy', () => {
  const headers = {
    'x-remote-user': 'jane',
    'x-remote-group': ['a', 'b'],
    'x-remote-uid': 'u',
    'x-remote-extra-example.com%2fk': 'v',
  };
  const authenticator = () =>
    new RequestHeaderAuthenticator(server.ctx.clock, {
      clientCa: () => pki.frontProxyCa.certificate,
      ...DEFAULT_REQUEST_HEADERS,
    });
  it('identifies the user', async () => {
    expect(
      authenticator().authenticate(request(headers, await certificate(pki.frontProxyCa, 'front-proxy-client'))),
    ).toEqual({
      name: 'jane',
      uid: 'u',
      groups: ['a', 'b', 'system:authenticated'],
      extra: { 'example.com/k': ['v'] },
    });
  });
  it.each([
    { name: 'another name', ca: () => pki.frontProxyCa, commonName: 'somebody' },
    { name: 'a certificate of the cluster’s CA', ca: () => pki.ca, commonName: 'front-proxy-client' },
  ])('is not accepted with $name', async ({ ca, commonName }) => {
    expect(authenticator().authenticate(request(headers, await certificate(ca(), commonName)))).toBeUndefined();
  });
  it('is not accepted without a certificate', () => {
    expect(authenticator().authenticate(request(headers))).toBeUndefined();
  });
});

describe('bearer tokens', () => {
  it('a token that an authenticator fails to read is a wrong one', async () => {
    const failing = { name: 'failing', authenticateToken: () => Promise.reject(new TypeError('of our own')) };
    const broken = [...['{"alg":', '[]', 'null', '"x"', '{"kid":{}}', '{"kid":"constructor"}'], '\0'].map((header) =>
      [header, '{"iss":"https://issuer"}', 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.'),
    );
    const keys = await createSigningKey();
    const ours = new ServiceAccountTokens(server.ctx, server.pipeline.chain.backend.registry, {
      privateKey: keys.privateKey,
      publicKeys: [keys.publicKey],
      issuer: 'https://issuer',
      apiAudiences: ['api'],
    });
    for (const token of [
      ...broken,
      '..',
      'a.b.c',
      `.${Buffer.from('{"iss":"https://issuer"}').toString('base64url')}.`,
    ]) {
      for (const authenticator of [ours, failing]) {
        const asked = new BearerTokens([authenticator], ['api']);
        await expect(async () =>
          asked.authenticate(request({ authorization: `Bearer ${token}` }), ignore),
        ).rejects.toThrow('Unauthorized');
      }
    }
  });

  const tokens = () => new BearerTokens([new StaticTokens('abc,jane,u1,"dev,ops"\n# comment\nxyz,bob,u2\n')], ['api']);
  it.each([
    { name: 'in the header', headers: { authorization: 'Bearer abc' } },
    { name: 'with another case and spaces', headers: { authorization: '  bEARER   abc' } },
    {
      name: 'in a WebSocket subprotocol',
      headers: {
        'sec-websocket-protocol': `v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.${Buffer.from('abc').toString('base64url')}`,
      },
    },
  ])('are found $name', async ({ headers }) => {
    expect(await tokens().authenticate(request(headers), ignore)).toEqual({
      name: 'jane',
      uid: 'u1',
      groups: ['dev', 'ops', 'system:authenticated'],
    });
  });
  it('that are unknown get 401, and other schemes are ignored', async () => {
    expect(() => tokens().authenticate(request({ authorization: 'Bearer ab' }), ignore)).toThrow('Unauthorized');
    expect(tokens().authenticate(request({ authorization: 'Basic abc' }), ignore)).toBeUndefined();
    expect(tokens().authenticate(request(), ignore)).toBeUndefined();
  });
  it('need three columns in a file', () => {
    expect(() => new StaticTokens('abc,jane')).toThrow('at least 3 columns');
  });
  it('may have empty columns in a file, but no empty token', () => {
    const file = new StaticTokens('abc,,\n,bob,u2\nxyz,eve,,\n');
    expect(file.authenticateToken('abc')?.user).toEqual({ name: '', groups: ['system:authenticated'] });
    expect(file.authenticateToken('xyz')?.user).toEqual({ name: 'eve', groups: ['system:authenticated'] });
    expect(file.authenticateToken('')).toBeUndefined();
  });
});

describe('anonymous requests', () => {
  it('are allowed everywhere, at some paths, or nowhere', () => {
    expect(new AnonymousAuthenticator().authenticate(request())?.name).toBe('system:anonymous');
    const some = new AnonymousAuthenticator({ enabled: true, paths: ['/livez'] });
    expect(some.authenticate(request({}, undefined, '/livez'))?.groups).toEqual(['system:unauthenticated']);
    expect(some.authenticate(request())).toBeUndefined();
    expect(new AnonymousAuthenticator({ enabled: false }).authenticate(request())).toBeUndefined();
  });
});

describe('bootstrap tokens', () => {
  const secret = async (
    id: string,
    data: Record<string, string>,
    type = 'bootstrap.kubernetes.io/token',
  ): Promise<void> => {
    const stringData = {
      'token-id': id,
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      ...data,
    };
    const { status, text } = await server.call('POST', '/api/v1/namespaces/kube-system/secrets', {
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: `bootstrap-token-${id}` }, type, stringData },
    });
    if (status !== 201) throw new Error(text);
  };
  const rows: { id: string; data: Record<string, string>; groups: string[] | undefined }[] = [
    {
      id: 'good00',
      data: { 'auth-extra-groups': 'system:bootstrappers:workers' },
      groups: ['system:bootstrappers', 'system:bootstrappers:workers'],
    },
    { id: 'expire', data: { expiration: '2000-01-01T00:00:00Z' }, groups: undefined },
    { id: 'nouse0', data: { 'usage-bootstrap-authentication': 'false' }, groups: undefined },
    { id: 'master', data: { 'auth-extra-groups': 'system:masters' }, groups: undefined },
    { id: 'wrong0', data: { 'token-secret': 'fedcba9876543210' }, groups: undefined },
  ];
  it.each(rows)('$id: $groups', async ({ id, data, groups }) => {
    await secret(id, data);
    const answer = new BootstrapTokens(server.ctx.clock, server.pipeline.chain.backend.registry).authenticateToken(
      `${id}.0123456789abcdef`,
    );
    expect(answer?.user).toEqual(groups && { name: `system:bootstrap:${id}`, groups });
  });
});

describe('ServiceAccount tokens', () => {
  it('of a Secret live as long as it holds them', async () => {
    const { call } = server;
    const { registry } = server.pipeline.chain.backend;
    const keys = await createSigningKey();
    const tokens = new ServiceAccountTokens(server.ctx, registry, {
      privateKey: keys.privateKey,
      publicKeys: [keys.publicKey],
      issuer: 'https://issuer',
      apiAudiences: ['api'],
    });
    const { body: account } = await call('GET', '/api/v1/namespaces/default/serviceaccounts/default');
    const claim = (name: string): string => `kubernetes.io/serviceaccount/${name}`;
    const legacy = await new SignJWT({
      [claim('namespace')]: 'default',
      [claim('secret.name')]: 'legacy',
      [claim('service-account.name')]: 'default',
      [claim('service-account.uid')]: account.metadata.uid,
    })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer('kubernetes/serviceaccount')
      .setSubject('system:serviceaccount:default:default')
      .sign(createPrivateKey(keys.privateKey));
    const review = async () => tokens.authenticateToken(legacy, ['api'], ignore);
    await expect(review()).rejects.toThrow('Token has been invalidated');
    const annotations = {
      'kubernetes.io/service-account.name': 'default',
      'kubernetes.io/service-account.uid': account.metadata.uid!,
    };
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'legacy', annotations },
      type: 'kubernetes.io/service-account-token',
      stringData: { token: legacy },
    };
    await call('POST', '/api/v1/namespaces/default/secrets', { body });
    expect((await review())?.user).toMatchObject({
      name: 'system:serviceaccount:default:default',
      uid: account.metadata.uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    });
    expect(server.ctx.metrics.expose()).toContain('serviceaccount_legacy_tokens_total 1');
    expect(server.ctx.metrics.expose()).toContain('serviceaccount_legacy_manual_token_uses_total 1');
    tokens.legacyTokens.setLoopback(createLoopback(server.pipeline.handle, server.ctx.signal));
    for (const day of ['first', 'second']) {
      await review();
      await server.ctx.clock.advance(10);
      const { body: noted } = await call('GET', '/api/v1/namespaces/default/secrets/legacy');
      expect(noted.metadata.labels, day).toEqual({
        'kubernetes.io/legacy-token-last-used': new Date(server.ctx.clock.now()).toISOString().slice(0, 10),
      });
      const version = noted.metadata.resourceVersion;
      await review();
      await server.ctx.clock.advance(10);
      expect((await call('GET', '/api/v1/namespaces/default/secrets/legacy')).body.metadata.resourceVersion).toBe(
        version,
      );
      await server.ctx.clock.advance(86_400_000);
    }
    await call('PATCH', '/api/v1/namespaces/default/secrets/legacy', {
      body: { metadata: { labels: { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' } } },
      contentType: 'application/merge-patch+json',
    });
    await expect(review()).rejects.toThrow('has been marked invalid');
    await call('DELETE', '/api/v1/namespaces/default/secrets/legacy');
    await expect(review()).rejects.toThrow('Token has been invalidated');
  });

  it('signed by an earlier key are valid as long as that key is configured', async () => {
    const { registry } = server.pipeline.chain.backend;
    const [first, second] = [await createSigningKey(), await createSigningKey()];
    const { body: account } = await server.call('GET', '/api/v1/namespaces/default/serviceaccounts/default');
    const make = (privateKey: string, ...publicKeys: string[]) =>
      new ServiceAccountTokens(server.ctx, registry, {
        privateKey,
        publicKeys,
        issuer: 'https://issuer',
        apiAudiences: ['api'],
      });
    const { token } = await make(first.privateKey, first.publicKey).issue({
      namespace: 'default',
      name: 'default',
      uid: account.metadata.uid!,
      audiences: ['api'],
      expirationSeconds: 3600,
    });
    expect(
      await make(second.privateKey, second.publicKey, first.publicKey).authenticateToken(token, ['api'], ignore),
    ).toBeDefined();
    await expect(make(second.privateKey, second.publicKey).authenticateToken(token, ['api'], ignore)).rejects.toThrow(
      'invalid signature, no keys found',
    );
  });

  it('that are used past their time to renew are noted', async () => {
    const { tokens } = server.pipeline.chain.backend;
    const { body: account } = await server.call('GET', '/api/v1/namespaces/default/serviceaccounts/default');
    const { token } = await tokens.issue({
      namespace: 'default',
      name: 'default',
      uid: account.metadata.uid!,
      audiences: tokens.apiAudiences,
      expirationSeconds: 86400,
      warnAfterSeconds: 3600,
    });
    const notes = new Map<string, string>();
    await tokens.authenticateToken(token, tokens.apiAudiences, (key, value) => void notes.set(key, value));
    expect(notes.size).toBe(0);
    await server.ctx.clock.advance(3_700_000);
    await tokens.authenticateToken(token, tokens.apiAudiences, (key, value) => void notes.set(key, value));
    expect(notes.get('authentication.k8s.io/stale-token')).toBe(
      'subject: system:serviceaccount:default:default, seconds after warning threshold: 100',
    );
  });
});
