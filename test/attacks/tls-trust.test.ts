/**
 * Whom the TLS clients believe: every kind of client against servers with certificates of every shape. What counts is
 * whether the server saw a request: a client that does not believe a server must not have said anything to it.
 */
import http2 from 'node:http2';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RemoteConnections } from '../../src/apiserver/aggregator/remote-connection.ts';
import type { APIServiceObject, RemoteService } from '../../src/apiserver/aggregator/remote-service.ts';
import { ProviderKeys } from '../../src/apiserver/authn/oidc/provider-keys.ts';
import { Dialer, send, type DialPolicy, type ServiceResolver } from '../../src/apiserver/dial/index.ts';
import { KubeletClient } from '../../src/apiserver/dial/kubelet-connection.ts';
import { Permit, type Target } from '../../src/apiserver/dial/target.ts';
import { ReviewClient } from '../../src/apiserver/review-webhooks/review-client.ts';
import { WebhookClients } from '../../src/apiserver/webhook-client/index.ts';
import { anonymous, HttpTransport } from '../../src/client/index.ts';
import { send as sendToRegistry } from '../../src/container-runtime/images/registry/http-request.ts';
import { createEtcdStore } from '../../src/etcd/index.ts';
import { createContext } from '../../src/kernel/index.ts';
import { httpGet } from '../../src/kubelet/probes/http-get.ts';
import {
  CLIENT_AUTH,
  makeCertificate,
  SERVER_AUTH,
  type MadeCertificate,
  type Shape,
} from '../../src/net/tls/testing/index.ts';
import { HttpExtender } from '../../src/scheduler/extenders/http-extender.ts';

const stop = new AbortController();
const ctx = createContext({ writeLog: () => {}, signal: stop.signal });
afterAll(() => stop.abort());

interface Server {
  readonly port: number;
  readonly url: string;
  /** Requests, and whatever came on connections besides. */
  readonly seen: () => number;
  close(): Promise<void>;
}

async function serve(certificate: MadeCertificate, chain: readonly MadeCertificate[]): Promise<Server> {
  let seen = 0;
  const sockets = new Set<net.Socket>();
  const server = http2.createSecureServer({
    key: certificate.keyPem,
    cert: [certificate, ...chain].map(({ pem }) => pem).join(''),
    allowHTTP1: true,
  });
  server.on('connection', (socket: net.Socket) => sockets.add(socket));
  server.on('request', (_request, response) => {
    seen++;
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
  server.on('tlsClientError', () => {}).on('sessionError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    seen: () => seen,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

interface Call {
  readonly server: Server;
  /** PEM. */
  readonly ca: string;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** Which addresses may be dialled is not the question here. */
const permitted = <T extends Target>(target: T) => ({ ...target, permit: new Permit() });
const dialer = new Dialer(ctx.clock);
const policy = { permit: permitted } as unknown as DialPolicy;
const resolverFor = ({ port }: Server) =>
  ({ resolve: () => permitted({ host: '127.0.0.1', port }) }) as unknown as ServiceResolver;
const key = { certificate: '', key: '' };

async function withTransport(
  { server, ca }: Call,
  use: (transport: HttpTransport) => Promise<unknown>,
): Promise<unknown> {
  const transport = new HttpTransport({
    config: { server: server.url, ca, credentials: anonymous, namespace: 'default' },
    clock: ctx.clock,
  });
  try {
    return await use(transport);
  } finally {
    await transport.close();
  }
}

const REVIEW = { group: 'admission.k8s.io', versions: ['v1'], kind: 'AdmissionReview' };

/**
 * One request by each kind of client. Failures after the request was made (the servers say nothing sensible) are left
 * to the caller.
 */
const clients: Record<string, (call: Call) => Promise<unknown>> = {
  'a webhook with a URL': ({ server, ca }) => {
    const webhooks = new WebhookClients(ctx, { dialer, policy, resolver: resolverFor(server) });
    return webhooks.post({
      config: { url: server.url, caBundle: base64(ca) },
      body: Buffer.from('{}'),
      expects: REVIEW,
      timeoutSeconds: 10,
    });
  },
  'a webhook behind a Service': ({ server, ca }) => {
    const webhooks = new WebhookClients(ctx, { dialer, policy, resolver: resolverFor(server) });
    const config = { service: { namespace: 'default', name: 'hook' }, caBundle: base64(ca) };
    return webhooks.post({ config, body: Buffer.from('{}'), expects: REVIEW, timeoutSeconds: 10 });
  },
  'an aggregated API server': ({ server, ca }) => {
    const object = { spec: { caBundle: base64(ca) } } as APIServiceObject;
    const remote: RemoteService = {
      name: 'v1.a',
      group: 'a',
      version: 'v1',
      service: { namespace: 'default', name: 'hook', port: 443 },
      available: true,
      object,
    };
    const connections = new RemoteConnections(ctx, {
      dialer,
      resolver: resolverFor(server),
      frontProxyClient: () => frontProxyClient,
    });
    const request = { method: 'GET', path: '/', headers: {}, signal: ctx.signal };
    return connections.send(remote, connections.locate(remote), request);
  },
  'a kubelet': async ({ server, ca }) => {
    const node = {
      status: {
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: server.port } },
      },
    };
    const registry = { require: () => ({}), objects: { get: () => Promise.resolve({ object: node }) } };
    const target = await new KubeletClient(registry as never, policy, { keys: () => frontProxyClient, ca }).target('n');
    return send(dialer, { target, method: 'GET', path: '/', headers: {}, signal: ctx.signal });
  },
  'a client with a kubeconfig': (call) =>
    withTransport(call, (transport) => transport.request({ method: 'GET', path: '/' })),
  'a review webhook (authentication, authorization, images, audit)': (call) =>
    withTransport(call, (transport) => new ReviewClient(ctx, transport, { attempts: 1 }).post({})),
  'an OIDC provider': ({ server, ca }) =>
    new ProviderKeys(ctx, { issuer: server.url, ca }).keyFor({ alg: 'RS256' }, { payload: '', signature: '' }),
  'a scheduler extender': ({ server, ca }) => {
    const config = {
      urlPrefix: server.url,
      filterVerb: 'filter',
      prioritizeVerb: '',
      bindVerb: 'bind',
      preemptVerb: '',
      weight: 1,
      enableHTTPS: true,
      tlsConfig: { caData: base64(ca) },
      httpTimeoutMs: 5000,
      nodeCacheCapable: false,
      managedResources: [],
      ignorable: false,
    };
    const pod = { pod: {}, name: 'p', namespace: 'd', uid: 'u' };
    return new HttpExtender(config as never, { clock: ctx.clock, cache: undefined as never }).bind!(
      pod as never,
      'n',
      ctx.signal,
    );
  },
  'an image registry': ({ server, ca }) =>
    sendToRegistry({ url: `${server.url}/v2/`, settings: { ca: [ca] }, limit: { clock: ctx.clock } }),
};

let frontProxyClient = key;
let root: MadeCertificate;
let intermediate: MadeCertificate;
let other: MadeCertificate;
beforeAll(async () => {
  root = await makeCertificate({ subject: 'CN=root', ca: true });
  intermediate = await makeCertificate({ subject: 'CN=intermediate', issuer: root, ca: true });
  other = await makeCertificate({ subject: 'CN=other', ca: true });
  const client = await makeCertificate({ subject: 'CN=client', issuer: root, usages: [CLIENT_AUTH] });
  frontProxyClient = { certificate: client.pem, key: client.keyPem };
});

const NAMES: Shape = {
  subject: 'CN=server',
  dns: ['hook.default.svc', 'localhost'],
  ips: ['127.0.0.1'],
  usages: [SERVER_AUTH],
};

interface Row {
  readonly name: string;
  /** The server's certificate, what it sends besides, and what the client is told to believe. */
  readonly make: () => Promise<{ leaf: MadeCertificate; chain?: MadeCertificate[]; ca: readonly MadeCertificate[] }>;
  /** Absent: the server is believed. */
  readonly refusal?: RegExp;
}

const rows: readonly Row[] = [
  {
    name: 'its authority',
    make: async () => ({ leaf: await makeCertificate({ ...NAMES, issuer: root }), ca: [root] }),
  },
  {
    name: 'an authority through an intermediate',
    make: async () => ({
      leaf: await makeCertificate({ ...NAMES, issuer: intermediate }),
      chain: [intermediate],
      ca: [root],
    }),
  },
  {
    name: 'an intermediate alone',
    make: async () => ({
      leaf: await makeCertificate({ ...NAMES, issuer: intermediate }),
      chain: [intermediate],
      ca: [intermediate],
    }),
  },
  {
    name: 'the serving certificate, as envtest makes it',
    make: async () => makeCertificate({ ...NAMES, issuer: root }).then((leaf) => ({ leaf, ca: [leaf] })),
  },
  {
    name: 'the serving certificate, self-signed',
    make: async () => makeCertificate({ ...NAMES, ca: false }).then((leaf) => ({ leaf, ca: [leaf] })),
  },
  {
    name: 'two authorities of one name',
    make: async () => ({
      leaf: await makeCertificate({ ...NAMES, issuer: root }),
      ca: [await makeCertificate({ subject: 'CN=root', ca: true }), root],
    }),
  },
  {
    name: 'somebody else',
    make: async () => ({ leaf: await makeCertificate({ ...NAMES, issuer: root }), chain: [root], ca: [other] }),
    refusal: /x509: certificate signed by unknown authority/,
  },
  {
    name: 'an authority, for a self-signed server',
    make: async () => ({ leaf: await makeCertificate(NAMES), ca: [root] }),
    refusal: /x509: certificate signed by unknown authority/,
  },
  {
    name: 'its authority, for a certificate that has expired',
    make: async () => ({ leaf: await makeCertificate({ ...NAMES, issuer: root, to: -0.5 }), ca: [root] }),
    refusal: /x509: certificate has expired or is not yet valid: current time \S+ is after /,
  },
  {
    name: 'an authority that has expired',
    make: async () =>
      makeCertificate({ subject: 'CN=old', ca: true, to: -0.5 }).then(async (old) => ({
        leaf: await makeCertificate({ ...NAMES, issuer: old }),
        ca: [old],
      })),
    refusal: /x509: certificate has expired or is not yet valid/,
  },
  {
    name: 'its authority, for another name',
    make: async () => ({
      leaf: await makeCertificate({ ...NAMES, issuer: root, dns: ['a'], ips: ['192.0.2.1'] }),
      ca: [root],
    }),
    refusal: /x509: certificate is valid for (192\.0\.2\.1, not 127\.0\.0\.1|a, not hook\.default\.svc)/,
  },
  {
    name: 'its authority, for a name of the host as an address',
    make: async () => ({
      leaf: await makeCertificate({ ...NAMES, issuer: root, dns: ['127.0.0.1'], ips: [] }),
      ca: [root],
    }),
    refusal: /because it doesn't contain any IP SANs|is valid for 127\.0\.0\.1, not hook/,
  },
  {
    name: 'its authority, for a certificate without names',
    make: async () => ({ leaf: await makeCertificate({ subject: 'CN=127.0.0.1', issuer: root }), ca: [root] }),
    refusal:
      /relies on legacy Common Name field, use SANs instead|is not valid for any names, but wanted to match hook/,
  },
  {
    name: 'its authority, for the certificate of a client',
    make: async () => ({ leaf: await makeCertificate({ ...NAMES, issuer: root, usages: [CLIENT_AUTH] }), ca: [root] }),
    refusal: /x509: certificate specifies an incompatible key usage/,
  },
];

describe.each(Object.keys(clients))('%s', (kind) => {
  it.each(rows)('that trusts $name', async ({ make, refusal }) => {
    const { leaf, chain = [], ca } = await make();
    const server = await serve(leaf, chain);
    try {
      const outcome = await clients[kind]!({ server, ca: ca.map(({ pem }) => pem).join('') }).catch(
        (error: unknown) => error,
      );
      if (refusal) {
        expect(outcome).toBeInstanceOf(Error);
        expect((outcome as Error).message).toMatch(refusal);
        expect(server.seen()).toBe(0);
      } else expect(server.seen(), String(outcome)).toBe(1);
    } finally {
      await server.close();
    }
  });
});

describe('an etcd', () => {
  const refusing = new Set([
    'somebody else',
    'its authority, for another name',
    'an authority that has expired',
    'its authority, for a certificate without names',
  ]);
  const partial = Number(process.versions.node.split('.')[0]) !== 21;
  it.each(rows.filter(({ name, refusal }) => refusal === undefined || refusing.has(name)))(
    'trusts $name',
    async ({ name, make, refusal }) => {
      if (!partial && /alone|envtest/.test(name)) return;
      const { leaf, chain = [], ca } = await make();
      const server = await serve(leaf, chain);
      const store = createEtcdStore({
        endpoints: [server.url],
        tls: { ca: Buffer.from(ca.map(({ pem }) => pem).join('')) },
        clock: ctx.clock,
        retryForMs: 0,
        requestTimeoutMs: 2000,
      } as never);
      try {
        await expect(store.range({ key: 'a' })).rejects.toThrow();
        expect(server.seen() > 0).toBe(refusal === undefined);
      } finally {
        await store.close();
        await server.close();
      }
    },
  );
});

it('a probe trusts every server, as upstream', async () => {
  const server = await serve(await makeCertificate({ to: -0.5 }), []);
  const dial = (host: string, port: number) =>
    new Promise<net.Socket>((resolve) => {
      const socket: net.Socket = net.connect(port, host, () => resolve(socket));
    });
  expect(await httpGet({ url: new URL(server.url), headers: [], dial, signal: ctx.signal })).toMatchObject({
    status: 200,
  });
  await server.close();
});

it('without a bundle the machine’s authorities are trusted, and not any server', async () => {
  const server = await serve(await makeCertificate({ ...NAMES, issuer: root }), [root]);
  const transport = new HttpTransport({
    config: { server: server.url, credentials: anonymous, namespace: 'default' },
    clock: ctx.clock,
  });
  await expect(transport.request({ method: 'GET', path: '/' })).rejects.toThrow(
    /x509: certificate signed by unknown authority/,
  );
  expect(server.seen()).toBe(0);
  await transport.close();
  await server.close();
});
