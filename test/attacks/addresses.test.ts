/**
 * A user who may write Nodes, Pods, Services and EndpointSlices and use their proxies names addresses, and the API
 * server is asked to dial them: its own, those of other services on this machine, and those of simulated Pods.
 * `dialled` holds every connection that it opened.
 */
import https from 'node:https';
import net from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAuthority, issue } from '../../src/apiserver/pki/certificates.ts';
import { openPki } from '../../src/apiserver/pki/files.ts';
import { startApiServer, type ApiServer } from '../../src/apiserver/server.ts';
import { createMemoryStore } from '../../src/etcd/index.ts';
import { Cluster } from '../../src/index.ts';
import { createContext } from '../../src/kernel/index.ts';
import { isStatusError } from '../../src/machinery/errors/status.ts';
import { startHostileBackend, type HostileBackend } from './hostile-backend.ts';

const end = new AbortController();
const ctx = createContext({ signal: end.signal, writeLog: () => {} });
const store = createMemoryStore({ clock: ctx.clock });
let server: ApiServer;
/** On loopback: a kubelet, or a service that nobody from outside should reach. */
let neighbour: HostileBackend;
const dialled: string[] = [];
/** Where addresses lead; those that are not listed lead to the same port of loopback. */
const routes = new Map<string, number>();

interface Answer {
  readonly status: number;
  readonly message: string;
  readonly text: string;
}

/** As mallory, over the wire. */
function call(method: string, path: string, body?: unknown, token = 'mallory-token'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    };
    const request = https.request(
      { host: '127.0.0.1', port: server.port, method, path, headers, rejectUnauthorized: false, agent: false },
      (response) => {
        let text = '';
        response.on('data', (bytes: Buffer) => (text += bytes.toString()));
        response.on('end', () => {
          const parsed = (text.startsWith('{') ? JSON.parse(text) : {}) as { message?: string };
          resolve({ status: response.statusCode ?? 0, message: parsed.message ?? text, text });
        });
      },
    );
    request.on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function made(path: string, body: object, token?: string): Promise<void> {
  const { status, text } = await call('POST', path, body, token);
  if (status !== 201) throw new Error(text);
}

const NS = '/api/v1/namespaces/default';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';

beforeAll(async () => {
  const pki = await openPki(ctx, undefined, {
    dnsNames: ['localhost', 'kubernetes.default.svc'],
    addresses: ['127.0.0.1'],
  });
  neighbour = await startHostileBackend(
    await issue(ctx, await createAuthority(ctx, 'other'), {
      commonName: 'neighbour',
      usage: 'server',
      dnsNames: ['neighbour'],
      addresses: ['127.0.0.1'],
    }),
  );
  server = await startApiServer(ctx, {
    store,
    pki,
    host: '127.0.0.1',
    port: 0,
    advertiseAddress: '192.0.2.1',
    serviceClusterIpRange: '10.96.0.0/16',
    authentication: { tokenFile: 'mallory-token,mallory,1\nadmin-token,admin,2,system:masters' },
    dial: {
      localAddresses: () => ['198.51.100.7'],
      isSimulatedNode: (name) => name === 'sim-0',
      isSimulatedAddress: (address) => address.startsWith('10.244.'),
      open: ({ host, port, lookup }) => {
        dialled.push(`${host}:${port}`);
        if (lookup) return net.connect({ host, port, lookup });
        return net.connect({ host: '127.0.0.1', port: routes.get(`${host}:${port}`) ?? port });
      },
    },
  });
  const rules = [{ apiGroups: ['', 'discovery.k8s.io'], resources: ['*'], verbs: ['*'] }];
  await made('/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'writer' }, rules }, 'admin-token');
  await made(
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    {
      metadata: { name: 'writer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'writer' },
      subjects: [{ kind: 'User', name: 'mallory' }],
    },
    'admin-token',
  );
  await made(`${NS}/serviceaccounts`, { metadata: { name: 'default' } });
  await vi.waitFor(async () => expect((await call('GET', '/api/v1/nodes')).status).toBe(200));
});

afterAll(async () => {
  end.abort();
  await server.finished;
  await neighbour.close();
  await store.close();
});

beforeEach(() => {
  dialled.length = 0;
  routes.clear();
});

let nodes = 0;
/** A Node whose kubelet is said to be there, and a Pod on it. */
async function node(type: string, address: string, port: number): Promise<string> {
  const name = `node-${nodes++}`;
  await made('/api/v1/nodes', {
    metadata: { name },
    status: { addresses: [{ type, address }], daemonEndpoints: { kubeletEndpoint: { Port: port } } },
  });
  await made(`${NS}/pods`, { metadata: { name }, spec: { nodeName: name, containers: [{ name: 'c', image: 'i' }] } });
  return name;
}

const REFUSED = { status: 400, message: 'address not allowed' };

describe('nodes/proxy does not lead to', () => {
  it.each<[what: string, type: string, address: string, port: () => number]>([
    ['the API server on loopback', 'InternalIP', '127.0.0.1', () => server.port],
    ['the API server at its advertised address', 'InternalIP', '192.0.2.1', () => server.port],
    ['the API server at an address of its machine', 'ExternalIP', '198.51.100.7', () => server.port],
    ['the API server through its Service', 'InternalIP', '10.96.0.1', () => 443],
    ['the API server through another Service', 'InternalIP', '10.96.7.7', () => 443],
    ['another service on loopback', 'InternalIP', '127.0.0.1', () => neighbour.tlsPort],
    ['another service on loopback, mapped', 'InternalIP', '::ffff:127.0.0.1', () => neighbour.tlsPort],
    ['another service on loopback, IPv6', 'InternalIP', '::1', () => neighbour.tlsPort],
    ['any address of this machine', 'InternalIP', '0.0.0.0', () => neighbour.tlsPort],
    ['the metadata server of a cloud', 'InternalIP', '169.254.169.254', () => 80],
    ['a multicast group', 'InternalIP', '224.0.0.1', () => 80],
    ['everybody', 'InternalIP', '255.255.255.255', () => 80],
  ])('%s', async (_, type, address, port) => {
    const name = await node(type, address, port());
    for (const subject of [name, `${name}:${port()}`, `https:${name}:${port()}`]) {
      expect(await call('GET', `/api/v1/nodes/${subject}/proxy/api/v1/secrets`), subject).toMatchObject(REFUSED);
    }
    const harmless = await node(type, address, 10250);
    expect(await call('GET', `/api/v1/nodes/https:${harmless}:${port()}/proxy/api/v1/secrets`)).toMatchObject({
      status: 400,
    });
    expect(dialled).toEqual([]);
  });

  it.each(['localhost', '127.1', '2130706433'])('loopback by the name %s', async (address) => {
    for (const port of [server.port, neighbour.tlsPort]) {
      const name = await node('Hostname', address, port);
      const { status, message } = await call('GET', `/api/v1/nodes/${name}/proxy/api/v1/secrets`);
      expect(`${status} ${message}`).toMatch(/^400 address not allowed|no such host/);
    }
    expect(neighbour.requests).toEqual([]);
  });

  it('the API server by a way that its address does not show', async () => {
    // As a NodePort, a load balancer or a port forward of somebody would.
    routes.set('192.0.2.50:10250', server.port);
    const name = await node('InternalIP', '192.0.2.50', 10250);
    expect(await call('GET', `/api/v1/nodes/${name}/proxy/api/v1/secrets`)).toMatchObject(REFUSED);
    expect(await call('GET', `${NS}/pods/${name}/log`)).toMatchObject(REFUSED);
    expect(dialled).toEqual(['192.0.2.50:10250', '192.0.2.50:10250']);
  });
});

describe('logs and streams of Pods', () => {
  it('do not go to the API server', async () => {
    for (const address of ['127.0.0.1', '192.0.2.1', '198.51.100.7', '10.96.0.1']) {
      const name = await node('InternalIP', address, server.port);
      expect(await call('GET', `${NS}/pods/${name}/log`), address).toMatchObject(REFUSED);
      expect(await call('GET', `${NS}/pods/${name}/exec?command=sh`), address).toMatchObject(REFUSED);
    }
    expect(dialled).toEqual([]);
  });

  it("go to a kubelet on loopback, as upstream's do", async () => {
    const name = await node('InternalIP', '127.0.0.1', neighbour.tlsPort);
    expect(await call('GET', `${NS}/pods/${name}/log`)).toMatchObject({ status: 200 });
    expect(dialled).toEqual([`127.0.0.1:${neighbour.tlsPort}`]);
  });
});

describe('Pods', () => {
  it.each([
    ['the API server', '192.0.2.1', () => server.port],
    ['loopback', '127.0.0.1', () => neighbour.plainPort],
    ['the metadata server', '169.254.169.254', () => 80],
    ['a Service', '10.96.0.1', () => 443],
  ] as [what: string, address: string, port: () => number][])(
    'whose status has %s are not dialled',
    async (what, address, port) => {
      const name = what.toLowerCase().replaceAll(' ', '-');
      await made(`${NS}/pods`, {
        metadata: { name },
        spec: { nodeName: 'somewhere', containers: [{ name: 'c', image: 'i' }] },
      });
      const written = await call('PATCH', `${NS}/pods/${name}/status`, {
        status: { podIP: address, podIPs: [{ ip: address }] },
      });
      expect(written.status, written.text).toBe(200);
      for (const subject of [`${name}:${port()}`, `https:${name}:${port()}`])
        expect(await call('GET', `${NS}/pods/${subject}/proxy/x`)).toMatchObject(REFUSED);
      expect(dialled).toEqual([]);
    },
  );

  it('get the path that the client wrote, with repeated slashes', async () => {
    await made(`${NS}/pods`, {
      metadata: { name: 'real' },
      spec: { nodeName: 'somewhere', containers: [{ name: 'c', image: 'i' }] },
    });
    await call('PATCH', `${NS}/pods/real/status`, { status: { podIP: '192.0.2.60', podIPs: [{ ip: '192.0.2.60' }] } });
    expect(
      (
        await call(
          'GET',
          `${NS}/pods/real:${neighbour.plainPort}/proxy/a/real:${neighbour.plainPort}/b%0d%0aX:1/proxy/c`,
        )
      ).status,
    ).toBe(200);
    expect(neighbour.requests.at(-1)).toBe(`GET /a/real:${neighbour.plainPort}/b%0d%0aX:1/proxy/c`);
  });
});

/** A slice of the Service with this name. */
const slice = (name: string, endpoints: object[], port: number, addressType = 'IPv4'): object => ({
  metadata: { generateName: `${name}-`, labels: { 'kubernetes.io/service-name': name } },
  addressType,
  ports: [{ name: '', port }],
  endpoints,
});

describe('EndpointSlices', () => {
  it('do not lead services/proxy anywhere but to Pods', async () => {
    await made(`${NS}/services`, { metadata: { name: 'forged' }, spec: { ports: [{ port: 80 }] } });
    await made(SLICES, slice('forged', [{ addresses: ['192.0.2.70'] }], 80));
    await made(
      SLICES,
      slice(
        'forged',
        [{ addresses: ['192.0.2.1'], targetRef: { kind: 'Pod', namespace: 'kube-system', name: 'x' } }],
        server.port,
      ),
    );
    await made(SLICES, slice('forged', [{ addresses: ['internal.example.com'] }], 80, 'FQDN'));
    expect(await call('GET', `${NS}/services/forged:80/proxy/`)).toMatchObject({
      status: 503,
      message: 'no endpoints available for service "forged"',
    });
    expect(dialled).toEqual([]);
  });

  const hook = (clientConfig: object): object => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'hook' },
    webhooks: [
      {
        name: 'hook.example.com',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        clientConfig,
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      },
    ],
  });
  const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

  async function called(clientConfig: object): Promise<string> {
    await made(HOOKS, hook(clientConfig), 'admin-token');
    try {
      return (await call('POST', `${NS}/configmaps?dryRun=All`, { metadata: { name: 'x' } })).message;
    } finally {
      await call('DELETE', `${HOOKS}/hook`, undefined, 'admin-token');
    }
  }

  it('do not redirect webhooks away from the pods of their Service', async () => {
    await made(`${NS}/services`, {
      metadata: { name: 'selecting' },
      spec: { selector: { app: 'hook' }, ports: [{ port: 443 }] },
    });
    await made(SLICES, slice('selecting', [{ addresses: ['192.0.2.71'] }], neighbour.tlsPort));
    await made(SLICES, slice('selecting', [{ addresses: ['internal.example.com'] }], 443, 'FQDN'));
    expect(await called({ service: { namespace: 'default', name: 'selecting' } })).toContain(
      'no endpoints available for service "selecting"',
    );
    expect(await called({ service: { namespace: 'default', name: 'kubernetes' } })).toContain('address not allowed');
    expect(dialled).toEqual([]);
  });

  it('define the endpoints of webhooks for a Service without a selector', async () => {
    await made(`${NS}/services`, { metadata: { name: 'by-hand' }, spec: { ports: [{ port: 443 }] } });
    await made(SLICES, slice('by-hand', [{ addresses: ['192.0.2.72'] }], neighbour.tlsPort));
    expect(await called({ service: { namespace: 'default', name: 'by-hand' } })).toContain(
      'failed to verify certificate',
    );
    expect(dialled).toEqual([`192.0.2.72:${neighbour.tlsPort}`]);
  });

  it('are not used for webhooks with a URL, which may be on loopback', async () => {
    expect(await called({ url: `https://127.0.0.1:${neighbour.tlsPort}/` })).toContain('failed to verify certificate');
    expect(dialled).toEqual([`127.0.0.1:${neighbour.tlsPort}`]);
  });
});

describe('no packet leaves the process for simulated nodes', () => {
  it('Pods, Services, webhooks, aggregated APIs and ports of nodes', async () => {
    const cluster = await Cluster.start({ nodes: 1 });
    onTestFinished(() => cluster.stop());
    const opened = vi.spyOn(net, 'connect');
    onTestFinished(() => opened.mockRestore());
    await cluster.apply(`
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec: {containers: [{name: main, image: "web:1", ports: [{containerPort: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 443, targetPort: 80}]}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.simulated.example.com}
spec: {group: simulated.example.com, version: v1, groupPriorityMinimum: 1, versionPriority: 1, insecureSkipTLSVerify: true, service: {namespace: default, name: web}}
`);
    const { status } = await cluster.waitFor<{
      kind: string;
      apiVersion: string;
      metadata: object;
      status: { podIP: string };
    }>('pod/web', 'Ready');
    const get = async (path: string): Promise<string> => {
      const refused = await cluster.client.request({ method: 'GET', path }).then(
        () => undefined,
        (error: unknown) => error,
      );
      return isStatusError(refused) ? `${refused.status.code} ${refused.message}` : String(refused);
    };
    const refusal = 'nothing listens on any port in pod default/web: its node is simulated';
    expect(await get(`${NS}/pods/web/proxy/`)).toBe(`501 ${refusal}`);
    await vi.waitFor(async () => expect(await get(`${NS}/services/web:443/proxy/`)).toBe(`501 ${refusal}`), {
      timeout: 5000,
    });
    expect(await get('/api/v1/nodes/sim-0:9100/proxy/metrics')).toBe(
      '501 nothing listens on port 9100 of node sim-0: it is simulated',
    );
    await cluster.waitFor(
      'apiservice/v1.simulated.example.com',
      `jsonpath={.status.conditions[0].message}=${refusal}`,
      { timeout: 5000 },
    );
    await cluster.apply(`
apiVersion: v1
kind: Service
metadata: {name: by-hand}
spec: {ports: [{port: 443}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: by-hand, labels: {kubernetes.io/service-name: by-hand}}
addressType: IPv4
ports: [{name: "", port: 80}]
endpoints: [{addresses: ["${status.podIP}"]}]
`);
    for (const [service, reason] of [
      ['web', refusal],
      ['by-hand', `nothing listens at ${status.podIP}: it is the address of a simulated node or pod`],
    ] as const) {
      await cluster.apply(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hook}
webhooks:
  - name: hook.example.com
    sideEffects: None
    admissionReviewVersions: [v1]
    clientConfig: {service: {namespace: default, name: ${service}}}
    rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [secrets]}]
`);
      await expect(
        cluster.client
          .resource('v1/secrets')
          .create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'default' } }),
      ).rejects.toThrow(reason);
    }
    expect(opened).not.toHaveBeenCalled();
  });
});
