import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isStatusError } from '../../machinery/errors/status.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';
import type { AddressSource, DialPolicy } from './dial-policy.ts';

/** The test server says that it is at 192.0.2.1:6443, and gives Services addresses of 10.96.0.0/16. */
let server: TestServer;
let policy: DialPolicy;

beforeAll(async () => {
  server = await startTestServer({
    dial: {
      localAddresses: () => ['198.51.100.7', '2001:db8::7'],
      isSimulatedNode: (name) => name === 'sim-0',
      isSimulatedAddress: (address) => address === '10.244.0.5',
    },
  });
  policy = server.pipeline.chain.backend.dialPolicy;
});
afterAll(() => server.stop());

const OTHERS: readonly AddressSource[] = ['kubelet', 'node', 'pod', 'endpoint'];

/** `yes`, or the status of the refusal. */
function verdict(host: string, port: number, source: AddressSource): string {
  try {
    policy.permit({ host, port }, source);
    return 'yes';
  } catch (error) {
    return isStatusError(error) ? `${error.status.code} ${error.message}` : String(error);
  }
}

const NO = '400 address not allowed';

describe('addresses that only the operator can choose', () => {
  it.each([
    ['unspecified', '0.0.0.0', 10250],
    ['unspecified, IPv6', '::', 10250],
    ['link-local: the metadata server of clouds', '169.254.169.254', 80],
    ['link-local, IPv6', 'fe80::1', 10250],
    ['link-local with a zone', 'fe80::1%lo', 10250],
    ['multicast', '224.0.0.1', 10250],
    ['multicast, IPv6', 'ff02::1', 10250],
    ['broadcast', '255.255.255.255', 10250],
    ['the API server', '192.0.2.1', 6443],
    ['the API server by another address of the machine', '198.51.100.7', 6443],
    ['the API server by an IPv6 address of the machine', '2001:0db8:0:0::7', 6443],
    ['the API server on loopback', '127.0.0.1', 6443],
    ['the API server on another loopback address', '127.8.9.10', 6443],
    ['the API server on loopback, as an IPv4-mapped address', '::ffff:127.0.0.1', 6443],
    ['the Service of the API server', '10.96.0.1', 443],
    ['any Service: its endpoints may be the API server', '10.96.200.3', 8443],
    ['nothing', '', 80],
  ])('%s', (name, host, port) => {
    const sources = name === 'nothing' ? OTHERS.filter((source) => source === 'pod' || source === 'endpoint') : OTHERS;
    expect(sources.map((source) => [source, verdict(host, port, source)])).toEqual(
      sources.map((source) => [source, NO]),
    );
    expect(verdict(host, port, 'operator')).toBe('yes');
  });
});

describe('loopback', () => {
  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.0.0.2'])('%s may only be the address of a kubelet', (host) => {
    expect(OTHERS.map((source) => verdict(host, 10250, source))).toEqual(['yes', NO, NO, NO]);
  });
});

describe('other addresses', () => {
  it.each([
    ['a node', '192.0.2.20', 10250],
    ['another port of the machine of the API server', '192.0.2.1', 10250],
    ['a port of this machine', '198.51.100.7', 10250],
    ['the port of the API server on another machine', '192.0.2.20', 6443],
    ['IPv6', '2001:db8::20', 10250],
  ])('%s may be dialled', (_, host, port) => {
    expect(OTHERS.map((source) => verdict(host, port, source))).toEqual(['yes', 'yes', 'yes', 'yes']);
  });

  it('are dialled in their canonical form', () => {
    expect(policy.permit({ host: '010.001.000.009', port: 80 }, 'pod').host).toBe('10.1.0.9');
    expect(policy.permit({ host: '::ffff:192.0.2.20', port: 80 }, 'pod').host).toBe('192.0.2.20');
  });
});

describe('names', () => {
  it('are not for pods and endpoints', () => {
    expect(['pod', 'endpoint'].map((source) => verdict('example.com', 80, source as AddressSource))).toEqual([NO, NO]);
  });

  /** The error with which a connection fails, or `connected`. */
  const dialled = (host: string, port: number, source: AddressSource): Promise<string> => {
    const { lookup } = policy.permit({ host, port }, source).permit.checks;
    return new Promise((resolve) => {
      const socket = net.connect({ host, port, lookup: lookup! });
      socket.once('connect', () => resolve('connected'));
      socket.once('error', (error) => resolve(error.message));
      socket.once('close', () => socket.destroy());
    });
  };

  it.each(['localhost', '127.1', '2130706433', '0x7f000001'])(
    '%s is checked where it leads, when it is resolved',
    async (host) => {
      expect(await dialled(host, 10250, 'node')).toMatch(/address not allowed|ENOTFOUND/);
      expect(await dialled(host, 6443, 'kubelet')).toMatch(/address not allowed|ENOTFOUND/);
    },
  );

  it('lead a kubelet connection to loopback', async () => {
    const listener = net.createServer((socket) => socket.end());
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    expect(await dialled('localhost', (listener.address() as net.AddressInfo).port, 'kubelet')).toBe('connected');
    listener.close();
  });
});

describe('servers that show the certificate of an API server', () => {
  const shows = (source: AddressSource, subjectaltname: string): void =>
    policy.permit({ host: '192.0.2.20', port: 10250 }, source).permit.checks.checkPeer?.({ subjectaltname } as never);

  it("do not get the kubelet client's requests, wherever they are", () => {
    const names = 'DNS:localhost, DNS:kubernetes.default.svc, IP Address:127.0.0.1';
    for (const source of ['kubelet', 'node'] as const)
      expect(() => shows(source, names)).toThrow('address not allowed');
    expect(() => shows('node', 'DNS:node-1, DNS:not-kubernetes.default.svc')).not.toThrow();
  });
});

describe('simulated addresses', () => {
  const target = { host: '10.244.0.9', port: 80 };
  const pod = (nodeName: string, containerID = ''): never =>
    ({
      metadata: { namespace: 'default', name: 'web' },
      spec: { nodeName, containers: [] },
      status: { containerStatuses: [{ containerID }] },
    }) as never;
  const refusal = {
    message: 'nothing listens on any port in pod default/web: its node is simulated',
    status: expect.objectContaining({ code: 501 }) as unknown,
  };

  it('is not dialled: pods by their node, or by their runtime when the node is deleted', () => {
    expect(() => policy.permitPod(pod('sim-0'), target)).toThrow(expect.objectContaining(refusal) as Error);
    expect(() => policy.permitPod(pod('gone', 'simulated://1'), target)).toThrow(
      expect.objectContaining(refusal) as Error,
    );
    expect(policy.permitPod(pod('node-1', 'containerd://1'), target)).toMatchObject(target);
  });

  it('is not dialled: addresses, regardless of their source', () => {
    expect(OTHERS.map((source) => verdict('10.244.0.5', 80, source))).toEqual(
      OTHERS.map(() => '501 nothing listens at 10.244.0.5: it is the address of a simulated node or pod'),
    );
  });

  it('is not dialled: ports of nodes', () => {
    expect(() => policy.permitNodePort('sim-0', { host: '198.18.0.1', port: 9100 })).toThrow(
      'nothing listens on port 9100 of node sim-0: it is simulated',
    );
    expect(policy.permitNodePort('node-1', { host: '198.18.0.1', port: 9100 })).toMatchObject({ port: 9100 });
  });
});
