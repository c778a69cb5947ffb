import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestContext } from '../../../kernel/index.ts';
import { connectIn, deleteNetns, listenIn, runIn } from '../../../net/netns/index.ts';
import { namespacesMissing, TestNamespaces } from '../../../net/netns/testing/index.ts';
import type { NetworkSandbox } from '../pod-network.ts';
import { CniNetwork, DEFAULT_PLUGIN_DIRECTORIES } from './cni-network.ts';
import { loadNetwork, parseNetwork, type JsonObject } from './network-list.ts';
import { attachmentOf } from './result.ts';

describe('CNI configuration', () => {
  test.each([
    [
      'a list',
      '{"cniVersion":"1.0.0","name":"n","plugins":[{"type":"bridge"},{"type":"portmap"}]}',
      {
        name: 'n',
        cniVersion: '1.0.0',
        disableCheck: false,
        disableGC: false,
        plugins: [{ type: 'bridge' }, { type: 'portmap' }],
      },
    ],
    [
      'flags as text',
      '{"name":"n","disableCheck":"true","disableGC":true,"plugins":[{"type":"a"}]}',
      { name: 'n', cniVersion: '0.1.0', disableCheck: true, disableGC: true, plugins: [{ type: 'a' }] },
    ],
    [
      'the newest of several versions',
      '{"name":"n","cniVersion":"0.3.1","cniVersions":["1.0.0","9.9.9","1.1.0"],"plugins":[{"type":"a"}]}',
      { name: 'n', cniVersion: '1.1.0', disableCheck: false, disableGC: false, plugins: [{ type: 'a' }] },
    ],
  ])('%s', (_name, text, list) => expect(parseNetwork(text, true)).toEqual(list));

  test('one plugin is a list of one', () => {
    expect(parseNetwork('{"cniVersion":"0.4.0","name":"n","type":"ptp","mtu":1400}', false)).toMatchObject({
      name: 'n',
      plugins: [{ type: 'ptp', mtu: 1400 }],
    });
  });

  test.each([
    ['no JSON', 'x', /JSON/],
    ['no name', '{"plugins":[{"type":"a"}]}', '"undefined" is not a name of a network'],
    ['a name that is a path', '{"name":"../n","plugins":[{"type":"a"}]}', 'is not a name of a network'],
    ['no plugins', '{"name":"n","plugins":[]}', 'has no plugins'],
    ['a plugin without type', '{"name":"n","plugins":[{}]}', 'has a plugin without a type'],
    ['a plugin that is a path', '{"name":"n","plugins":[{"type":"../../bin/sh"}]}', 'has a plugin without a type'],
    [
      'a future version',
      '{"name":"n","cniVersion":"2.0.0","plugins":[{"type":"a"}]}',
      'has the CNI version 2.0.0, of which none is supported',
    ],
  ])('%s is refused', (_name, text, message) => expect(() => parseNetwork(text, true)).toThrow(message));
});

describe('results of ADD', () => {
  test.each<[string, JsonObject, object]>([
    [
      '1.0.0',
      {
        ips: [
          { address: '10.1.0.2/16', gateway: '10.1.0.1', interface: 1 },
          { address: '10.9.9.9/32', interface: 0 },
        ],
        interfaces: [{ name: 'cni0' }, { name: 'eth0', mac: '02:00:00:00:00:01', sandbox: '/x', mtu: 1400 }],
      },
      { ips: ['10.1.0.2'], gateways: ['10.1.0.1'], interfaceName: 'eth0', mac: '02:00:00:00:00:01', mtu: 1400 },
    ],
    [
      '1.0.0, both families, nobody’s interface',
      { ips: [{ address: 'fd00::2/64' }, { address: '10.1.0.2/16' }] },
      { ips: ['fd00::2', '10.1.0.2'], interfaceName: 'eth0' },
    ],
    [
      '0.2.0',
      { ip4: { ip: '10.1.0.2/16', gateway: '10.1.0.1' }, ip6: { ip: 'fd00::2/64' } },
      { ips: ['10.1.0.2', 'fd00::2'], gateways: ['10.1.0.1'], interfaceName: 'eth0' },
    ],
    ['nothing', {}, { ips: [], interfaceName: 'eth0' }],
  ])('%s', (_name, result, attachment) => expect(attachmentOf(result, 'eth0')).toEqual(attachment));
});

const missing = namespacesMissing();

describe.skipIf(missing !== undefined)(`CNI plugins${missing === undefined ? '' : ` (${missing})`}`, () => {
  let namespaces: TestNamespaces;
  let network: CniNetwork;
  const servers: net.Server[] = [];
  const place = (name: string): string => path.join(namespaces.directory, name);

  const configure = (file: string, list: object): void => {
    fs.mkdirSync(place('net.d'), { recursive: true });
    fs.writeFileSync(path.join(place('net.d'), file), JSON.stringify(list));
  };
  /** A plugin that writes down how it was called, and does what `script` says. */
  const plugin = (name: string, script: string): void => {
    fs.mkdirSync(place('bin'), { recursive: true });
    fs.writeFileSync(
      path.join(place('bin'), name),
      `#!/bin/sh\ncd ${namespaces.directory}\ninput=$(cat)\nprintf '%s\\t%s\\t%s\\t%s\\n' "${name} $CNI_COMMAND" "$CNI_CONTAINERID $CNI_IFNAME \${CNI_NETNS##*/}" "$CNI_ARGS" "$input" >> calls\n${script}\n`,
      { mode: 0o755 },
    );
  };
  const calls = (): { call: string; target: string; args: string; input: Record<string, unknown> }[] =>
    fs.existsSync(place('calls'))
      ? fs
          .readFileSync(place('calls'), 'utf8')
          .trim()
          .split('\n')
          .map((line) => line.split('\t') as [string, string, string, string])
          .map(([call, target, args, input]) => ({
            call,
            target,
            args,
            input: JSON.parse(input) as Record<string, unknown>,
          }))
      : [];
  const gives = (result: object): string => `[ "$CNI_COMMAND" = ADD ] && echo '${JSON.stringify(result)}'\nexit 0`;
  const sandbox = (name: string, more: Partial<NetworkSandbox> = {}): NetworkSandbox => ({
    id: `${name}-id`,
    name,
    namespace: 'default',
    uid: `${name}-uid`,
    netnsPath: namespaces.create(name),
    ...more,
  });
  const open = (): CniNetwork =>
    new CniNetwork(createTestContext(), {
      nodeNetns: place('node'),
      configDirectory: place('net.d'),
      pluginDirectories: [place('bin'), ...DEFAULT_PLUGIN_DIRECTORIES],
      stateDirectory: place('results'),
    });

  beforeEach(() => {
    namespaces = new TestNamespaces();
    namespaces.create('node');
    network = open();
  });
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
    namespaces.close();
  });

  const first = { cniVersion: '1.1.0', ips: [{ address: '10.1.0.2/16' }] };
  const second = { cniVersion: '1.1.0', ips: [{ address: '10.1.0.2/16', gateway: '10.1.0.1' }] };
  const chain = {
    cniVersion: '1.1.0',
    name: 'chain',
    plugins: [
      { type: 'one', mine: 1, capabilities: { portMappings: true, ipRanges: true } },
      { type: 'two', capabilities: { bandwidth: true } },
    ],
  };

  test('plugins are chained; DEL gets the same arguments, in reverse order', async () => {
    configure('10-chain.conflist', chain);
    plugin('one', gives(first));
    plugin('two', gives(second));
    await network.configure({ podCidrs: ['10.1.0.0/24'] });
    const a = sandbox('a', {
      portMappings: [{ protocol: 'TCP', containerPort: 80, hostPort: 8080, hostIp: '10.0.0.1' }],
      annotations: { 'kubernetes.io/ingress-bandwidth': '10M' },
    });
    expect(await network.attach(a)).toEqual({ ips: ['10.1.0.2'], gateways: ['10.1.0.1'], interfaceName: 'eth0' });
    expect(await network.attach(a), 'a second time without plugins').toEqual(network.attachment(a.id));
    const portMappings = [{ hostPort: 8080, containerPort: 80, protocol: 'tcp', hostIP: '10.0.0.1' }];
    const one = {
      type: 'one',
      mine: 1,
      name: 'chain',
      cniVersion: '1.1.0',
      runtimeConfig: { portMappings, ipRanges: [[{ subnet: '10.1.0.0/24' }]] },
    };
    const two = {
      type: 'two',
      name: 'chain',
      cniVersion: '1.1.0',
      runtimeConfig: { bandwidth: { ingressRate: 10_000_000, ingressBurst: 1_000_000 } },
    };
    expect(calls()).toMatchObject([
      {
        call: 'one ADD',
        target: 'a-id eth0 a',
        args: 'IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=a;K8S_POD_INFRA_CONTAINER_ID=a-id;K8S_POD_UID=a-uid',
        input: one,
      },
      { call: 'two ADD', input: { ...two, prevResult: first } },
    ]);
    expect(calls()[0]!.input.prevResult).toBeUndefined();
    fs.rmSync(place('calls'));
    // A new process, another configuration: what was done is undone as it was done.
    configure('10-chain.conflist', { ...chain, name: 'other', plugins: [{ type: 'three' }] });
    network = open();
    expect(network.attachment(a.id)).toMatchObject({ ips: ['10.1.0.2'] });
    await network.check(a);
    await network.detach(a);
    await network.detach(a);
    expect(calls()).toMatchObject([
      { call: 'one CHECK', input: { ...one, prevResult: second } },
      { call: 'two CHECK', input: { ...two, prevResult: second } },
      { call: 'two DEL', target: 'a-id eth0 a', input: { ...two, prevResult: second } },
      { call: 'one DEL', input: { ...one, prevResult: second } },
    ]);
    expect(fs.readdirSync(place('results'))).toEqual([]);
  });

  test('the error of a failing plugin is reported, and earlier plugins are undone', async () => {
    configure('10-chain.conflist', chain);
    plugin('one', gives(first));
    plugin(
      'two',
      `[ "$CNI_COMMAND" = ADD ] || exit 0\necho '{"cniVersion":"1.1.0","code":11,"msg":"busy","details":"try again"}'\nexit 1`,
    );
    const a = sandbox('a');
    await expect(network.attach(a)).rejects.toThrow(
      'the sandbox a-id of the pod default/a: plugin type="two" failed (add): busy; try again',
    );
    expect(calls().map(({ call }) => call)).toEqual(['one ADD', 'two ADD', 'two DEL', 'one DEL']);
    expect(network.attachment(a.id)).toBeUndefined();
    expect(fs.readdirSync(place('results'))).toEqual([]);
  });

  test('after a crash during ADD everything is deleted before it is tried again', async () => {
    configure('10-chain.conflist', chain);
    plugin('one', gives(first));
    plugin('two', gives(second));
    const a = sandbox('a');
    await network.attach(a);
    const [file] = fs.readdirSync(place('results'));
    const cached = JSON.parse(fs.readFileSync(path.join(place('results'), file!), 'utf8')) as Record<string, unknown>;
    expect(file).toBe('chain-a-id-eth0');
    expect(cached).toMatchObject({ kind: 'cniCacheV1', containerId: 'a-id', ifName: 'eth0', networkName: 'chain' });
    fs.writeFileSync(path.join(place('results'), file!), JSON.stringify({ ...cached, result: undefined }));
    fs.rmSync(place('calls'));
    network = open();
    expect(network.attachment(a.id)).toBeUndefined();
    await network.attach(a);
    expect(calls().map(({ call }) => call)).toEqual(['two DEL', 'one DEL', 'one ADD', 'two ADD']);
  });

  test('reconcile deletes stale attachments and calls GC of the plugins', async () => {
    configure('10-chain.conflist', chain);
    plugin('one', gives(first));
    plugin('two', gives(second));
    const [a, b] = [sandbox('a'), sandbox('b')];
    await network.attach(a);
    await network.attach(b);
    fs.rmSync(place('calls'));
    await network.reconcile([b.id]);
    expect(calls()).toMatchObject([
      { call: 'two DEL', target: 'a-id eth0 a' },
      { call: 'one DEL' },
      {
        call: 'one GC',
        target: '  ',
        input: { 'cni.dev/valid-attachments': [{ containerID: 'b-id', ifname: 'eth0' }] },
      },
      { call: 'two GC' },
    ]);
    configure('10-chain.conflist', { ...chain, disableGC: true });
    fs.rmSync(place('calls'));
    await network.reconcile([b.id]);
    expect(calls()).toEqual([]);
  });

  test('readiness: no configuration, a missing plugin, the result of STATUS; the first valid file is used', async () => {
    expect(await network.ready()).toEqual({
      ready: false,
      reason: 'NetworkPluginNotReady',
      message: `Network plugin returns error: no network config found in ${place('net.d')}: cni plugin not initialized`,
    });
    await expect(network.attach(sandbox('a'))).rejects.toThrow('cni plugin not initialized');
    configure('00-broken.conflist', { name: 'x' });
    configure('20-later.conflist', { ...chain, name: 'later' });
    configure('10-chain.conflist', chain);
    configure('05-ignored.txt', chain);
    expect(loadNetwork(place('net.d'))).toMatchObject({
      list: { name: 'chain' },
      problems: [expect.stringContaining('00-broken.conflist: has no plugins')],
    });
    plugin('one', 'exit 0');
    expect((await network.ready()).message).toContain('failed to find plugin "two" in path');
    plugin('two', `echo '{"code":50,"msg":"no uplink"}'; exit 1`);
    expect((await network.ready()).message).toBe(
      'Network plugin returns error: plugin type="two" failed (status): no uplink',
    );
    plugin('two', 'exit 0');
    expect(await network.ready()).toEqual({ ready: true });
    configure('10-chain.conflist', { ...chain, plugins: [{ type: 'portmap-of-mine' }] });
    expect((await network.ready()).message).toContain('failed to find plugin "portmap-of-mine"');
  });

  const reference = DEFAULT_PLUGIN_DIRECTORIES.some((directory) => fs.existsSync(path.join(directory, 'portmap')));

  test.skipIf(!reference || namespacesMissing('iptables') !== undefined)(
    'the reference plugins bridge, host-local, portmap, bandwidth and tuning',
    async () => {
      configure('10-bridge.conflist', {
        cniVersion: '1.0.0',
        name: 'bridged',
        plugins: [
          {
            type: 'bridge',
            bridge: 'cni0',
            isGateway: true,
            hairpinMode: true,
            ipam: {
              type: 'host-local',
              ranges: [[{ subnet: '10.8.0.0/24' }]],
              routes: [{ dst: '0.0.0.0/0' }],
              dataDir: place('ipam'),
            },
          },
          { type: 'portmap', capabilities: { portMappings: true }, snat: true },
          { type: 'bandwidth', capabilities: { bandwidth: true } },
          { type: 'tuning', sysctl: { 'net.core.somaxconn': '999' } },
        ],
      });
      const node = place('node');
      await runIn('ip', ['link', 'set', 'lo', 'up'], { netns: node });
      const a = sandbox('a', {
        portMappings: [{ protocol: 'TCP', containerPort: 80, hostPort: 8080 }],
        annotations: { 'kubernetes.io/egress-bandwidth': '10M' },
      });
      const attachment = await network.attach(a);
      expect(attachment).toMatchObject({ ips: ['10.8.0.2'], gateways: ['10.8.0.1'], interfaceName: 'eth0' });
      const server = net.createServer((socket) => socket.end('hello'));
      servers.push(server);
      await listenIn(server, { netns: a.netnsPath, host: '0.0.0.0', port: 80 });
      for (const [host, port] of [
        ['10.8.0.2', 80],
        ['10.8.0.1', 8080],
      ] as const) {
        expect(String((await once(connectIn({ netns: node, host, port }), 'data'))[0])).toBe('hello');
      }
      // Of the reference plugins' own checks, portmap's fails for pods without IPv6, and bandwidth's for those without limits.
      const b = sandbox('b', { annotations: { 'kubernetes.io/egress-bandwidth': '10M' } });
      expect((await network.attach(b)).ips).toEqual(['10.8.0.3']);
      await network.check(b);
      await runIn('ip', ['addr', 'flush', 'dev', 'eth0'], { netns: b.netnsPath });
      await expect(network.check(b)).rejects.toThrow('plugin type="bridge" failed (check)');
      server.close();
      await once(server, 'close');
      deleteNetns(a.netnsPath!);
      await network.reconcile([]);
      expect(fs.readdirSync(path.join(place('ipam'), 'bridged'))).not.toContain('10.8.0.2');
      await expect
        .poll(() => runIn('ip', ['-br', 'link'], { netns: node }), { timeout: 5000 })
        .not.toMatch(/^(veth|bwp)/m);
    },
  );
});
