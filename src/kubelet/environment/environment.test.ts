import { describe, expect, it } from 'vitest';
import type { Pod, Service } from '../../api/generated/core-v1.ts';
import { podDns } from '../../component-helpers/index.ts';
import { environmentVariables, type EnvironmentSources } from './environment-variables.ts';
import { expand } from './expand.ts';
import { podHostname } from './hostname.ts';
import { hostsFile, nodeHostsFile } from './hosts-file.ts';
import { serviceVariables } from './service-variables.ts';

const pod = (spec: Partial<NonNullable<Pod['spec']>> = {}): Pod => ({
  metadata: { name: 'p', namespace: 'ns', uid: 'u', labels: { a: '1' } },
  spec: { containers: [{ name: 'main' }], ...spec },
});

describe('expansion', () => {
  it.each([
    ['$(A)', '1'],
    ['x$(A)y$(B)', 'x1y2'],
    ['$$(A)', '$(A)'],
    ['$(UNKNOWN)', '$(UNKNOWN)'],
    ['$(A', '$(A'],
    ['$A', '$A'],
    ['100$', '100$'],
    ['$$$(A)', '$1'],
  ])('%s is %s', (text, expected) => {
    expect(expand(text, (name) => ({ A: '1', B: '2' })[name])).toBe(expected);
  });
});

describe('variables', () => {
  const sources: EnvironmentSources = {
    configMap: (_, name) =>
      Promise.resolve(name === 'cm' ? { metadata: {}, data: { a: '1', 'bad key=': 'x' } } : undefined),
    secret: (_, name) =>
      Promise.resolve(
        name === 'sec' ? { metadata: {}, data: { pw: Buffer.from('hunter2').toString('base64') } } : undefined,
      ),
    services: () => [],
    file: (_, path) => Promise.resolve(path === 'env' ? "# comment\nKEY = 'quoted'\n" : undefined),
  };
  const variables = (container: object, spec = {}) => {
    const invalid: string[] = [];
    const made = environmentVariables({
      pod: pod(spec),
      container: { name: 'main', ...container },
      nodeName: 'n',
      hostIPs: ['192.0.2.1'],
      podIPs: ['10.0.0.1', 'fd00::1'],
      allocatable: { cpu: '2', memory: '1Gi' },
      sources,
      onInvalidNames: (message) => invalid.push(message),
    });
    return made.then((map) => ({ ...Object.fromEntries(map), invalid }));
  };

  it('have values from every source', async () => {
    expect(
      await variables({
        envFrom: [
          { configMapRef: { name: 'cm' }, prefix: 'P_' },
          { secretRef: { name: 'sec' } },
          { configMapRef: { name: 'none', optional: true } },
        ],
        env: [
          { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIPs' } } },
          { name: 'LABEL', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a']" } } },
          { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
          { name: 'BOTH', value: '$(P_a)/$(LABEL)' },
          { name: 'FILE', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'env', key: 'KEY' } } },
          { name: 'ABSENT', valueFrom: { configMapKeyRef: { name: 'cm', key: 'zz', optional: true } } },
        ],
      }),
    ).toEqual({
      P_a: '1',
      pw: 'hunter2',
      IP: '10.0.0.1,fd00::1',
      LABEL: '1',
      CPU: '2000',
      BOTH: '1/1',
      FILE: 'quoted',
      invalid: [
        'Keys [bad key=] from the EnvFrom configmap ns/cm were skipped since they are considered invalid environment variable names.',
      ],
    });
  });

  it.each([
    [
      { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'none', key: 'a' } } }] },
      'configmap "none" not found',
    ],
    [
      { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'sec', key: 'zz' } } }] },
      "couldn't find key zz in Secret ns/sec",
    ],
    [{ envFrom: [{ secretRef: { name: 'none' } }] }, 'secret "none" not found'],
  ])('that are missing are reported by name: %#', async (container, message) => {
    await expect(variables(container)).rejects.toThrow(message);
  });

  it('of services', () => {
    const services: Service[] = [
      {
        metadata: { name: 'kubernetes', namespace: 'default' },
        spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443 }] },
      },
      {
        metadata: { name: 'my-db', namespace: 'ns' },
        spec: { clusterIP: '10.96.0.9', ports: [{ port: 5432, protocol: 'TCP' }] },
      },
      { metadata: { name: 'headless', namespace: 'ns' }, spec: { clusterIP: 'None', ports: [{ port: 1 }] } },
      { metadata: { name: 'other', namespace: 'elsewhere' }, spec: { clusterIP: '10.96.0.8', ports: [{ port: 1 }] } },
    ];
    expect(Object.fromEntries(serviceVariables(services, 'ns', true))).toMatchObject({
      KUBERNETES_SERVICE_HOST: '10.96.0.1',
      KUBERNETES_SERVICE_PORT_HTTPS: '443',
      MY_DB_SERVICE_HOST: '10.96.0.9',
      MY_DB_PORT: 'tcp://10.96.0.9:5432',
      MY_DB_PORT_5432_TCP_ADDR: '10.96.0.9',
    });
    expect([...serviceVariables(services, 'ns', false).keys()].every((name) => name.startsWith('KUBERNETES_'))).toBe(
      true,
    );
    expect([...serviceVariables(services, 'ns', true).keys()].some((name) => /^(HEADLESS|OTHER)/.test(name))).toBe(
      false,
    );
  });
});

describe('names', () => {
  it('in /etc/hosts', () => {
    expect(
      hostsFile({
        ips: ['10.0.0.1'],
        hostname: 'h',
        hostDomain: 'h.sub.ns.svc.cluster.local',
        aliases: [{ ip: '1.2.3.4', hostnames: ['a', 'b'] }],
      }),
    ).toBe(
      '# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\nfe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n10.0.0.1\th.sub.ns.svc.cluster.local\th\n\n# Entries added by HostAliases.\n1.2.3.4\ta\tb\n',
    );
    expect(nodeHostsFile('127.0.0.1 localhost\n', [])).toBe(
      '# Kubernetes-managed hosts file (host network).\n127.0.0.1 localhost\n',
    );
  });

  it.each([
    ['of itself', {}, 'p', ''],
    ['with a host name', { hostname: 'h' }, 'h', ''],
    ['with a subdomain', { hostname: 'h', subdomain: 'sub' }, 'h', 'h.sub.ns.svc.cluster.local'],
    ['on the node network', { hostNetwork: true }, 'node', ''],
    ['overridden', { hostnameOverride: 'any' }, 'any', ''],
  ])('of a pod %s', (_, spec, hostname, hostDomain) => {
    expect(podHostname(pod(spec), 'cluster.local', 'node')).toMatchObject({ hostname, hostDomain });
  });

  it('with the full name for the kernel', () => {
    expect(
      podHostname(pod({ hostname: 'h', subdomain: 's', setHostnameAsFQDN: true }), 'cluster.local', 'node').kernelName,
    ).toBe('h.s.ns.svc.cluster.local');
    expect(() =>
      podHostname(pod({ hostname: 'h'.repeat(50), subdomain: 's', setHostnameAsFQDN: true }), 'cluster.local', 'node'),
    ).toThrow('is too long (64 characters is the max, 73 characters requested)');
  });
});

describe('DNS', () => {
  const settings = {
    clusterDns: ['10.96.0.10'],
    clusterDomain: 'cluster.local',
    nodeResolvConf: 'search corp.example.\nnameserver 192.0.2.53\noptions edns0\n',
  };
  const cluster = {
    servers: ['10.96.0.10'],
    searches: ['ns.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'corp.example'],
    options: ['ndots:5'],
  };
  const node = { servers: ['192.0.2.53'], searches: ['corp.example'], options: ['edns0'] };
  it.each([
    ['ClusterFirst', {}, cluster],
    ['ClusterFirst on the node network', { hostNetwork: true }, node],
    ['ClusterFirstWithHostNet', { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }, cluster],
    ['Default', { dnsPolicy: 'Default' }, node],
    [
      'None',
      {
        dnsPolicy: 'None',
        dnsConfig: {
          nameservers: ['1.1.1.1'],
          searches: ['x'],
          options: [{ name: 'ndots', value: '1' }, { name: 'debug' }],
        },
      },
      { servers: ['1.1.1.1'], searches: ['x'], options: ['ndots:1', 'debug'] },
    ],
    [
      'options over the policy',
      { dnsConfig: { options: [{ name: 'ndots', value: '2' }] } },
      { ...cluster, options: ['ndots:2'] },
    ],
  ])('%s', (_, spec, expected) => {
    expect(podDns(pod(spec), settings).dns).toEqual(expected);
  });

  it('warns about skipped variables', () => {
    const { dns, warnings } = podDns(
      pod({ dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'] } }),
      settings,
    );
    expect(dns.servers).toHaveLength(3);
    expect(warnings).toEqual([
      {
        reason: 'DNSConfigForming',
        message:
          'Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 1.1.1.1 1.1.1.2 1.1.1.3',
      },
    ]);
    expect(podDns(pod(), { ...settings, clusterDns: [] }).warnings[0]?.reason).toBe('MissingClusterDNS');
  });
});
