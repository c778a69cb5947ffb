/** `k8ts container-runtime`: a CRI server of its own, for a kubelet in another process. */
import fs from 'node:fs';
import path from 'node:path';
import { BridgeNetwork, CniNetwork, type PodNetwork, run as runRuntime } from '../container-runtime/index.ts';
import { flagsHelp, type FlagTable, parseFlags } from '../flags/index.ts';
import type { Context } from '../kernel/index.ts';
import { outputFlag } from './command.ts';
import { printLine } from './output.ts';
import { secondsSinceProcessStart } from './ready.ts';
import { untilSignal } from './until-signal.ts';

export const flags = {
  listen: {
    kind: 'text',
    default: '/run/k8ts/container-runtime.sock',
    summary: 'Unix socket on which CRI is served',
  },
  root: {
    kind: 'text',
    default: '/var/lib/k8ts/container-runtime',
    summary: 'Directory for images and container records',
  },
  state: {
    kind: 'text',
    default: '/run/k8ts/container-runtime',
    summary: 'Directory for namespaces, bundles and fifos, which do not survive a boot',
  },
  runtime: {
    kind: 'pairs',
    default: { runc: 'runc' },
    summary: 'OCI runtimes by handler name: runc=/usr/sbin/runc,crun=crun',
  },
  'default-runtime': { kind: 'text', default: 'runc', summary: 'Handler for pods without a RuntimeClass' },
  conmon: { kind: 'text', default: 'conmon', summary: 'Path of conmon' },
  'cgroup-driver': {
    kind: 'text',
    default: 'cgroupfs',
    only: ['cgroupfs', 'systemd'],
    summary: 'Cgroup driver; must be that of the kubelet',
  },
  'cgroup-parent': { kind: 'text', summary: 'Parent cgroup of containers whose pod has none' },
  'node-netns': { kind: 'text', summary: 'Network namespace of the node (default: that of the process)' },
  'streaming-address': {
    kind: 'text',
    default: '127.0.0.1:0',
    summary: 'Address for exec, attach and port-forward',
  },
  'load-archive': { kind: 'repeated', default: [], summary: 'Image archive to load at start' },
  'pinned-images': { kind: 'texts', default: [], summary: 'Images that garbage collection must not remove' },
  network: {
    kind: 'text',
    default: 'bridge',
    only: ['bridge', 'cni', 'none'],
    section: 'Network',
    summary: 'Pod network: built-in bridge or CNI',
  },
  'pod-cidr': {
    kind: 'texts',
    default: [],
    section: 'Network',
    summary: 'Pod CIDRs for the bridge (default: set by the kubelet)',
  },
  'bridge-name': { kind: 'text', default: 'k8ts0', section: 'Network', summary: 'Name of the bridge' },
  'cni-conf-dir': {
    kind: 'text',
    default: '/etc/cni/net.d',
    section: 'Network',
    summary: 'Directory of CNI configurations',
  },
  'cni-bin-dir': {
    kind: 'texts',
    default: ['/opt/cni/bin', '/usr/lib/cni', '/usr/libexec/cni'],
    section: 'Network',
    summary: 'Directories of CNI plugins',
  },
  'registry-hosts-dir': {
    kind: 'text',
    section: 'Registries',
    summary: 'Directory of registry mirrors and certificates, as containerd’s certs.d',
  },
  'docker-config': {
    kind: 'text',
    section: 'Registries',
    summary: 'config.json with credentials for pulls without their own',
  },
  ...outputFlag,
  v: { kind: 'whole', shorthand: 'v', default: 0, section: 'Logging', summary: 'Log verbosity' },
} as const satisfies FlagTable;

export async function run(argv: readonly string[]): Promise<number> {
  const { values, help } = parseFlags(argv, flags);
  if (help) {
    console.log(flagsHelp(flags, { usage: 'k8ts container-runtime: serve the Container Runtime Interface' }));
    return 0;
  }
  const { ctx, release } = untilSignal({ name: 'container-runtime', verbosity: values.v });
  const network = await openNetwork(ctx, values);
  const [host, port] = splitAddress(values['streaming-address']);
  const archives: Promise<unknown>[] = [];
  try {
    await runRuntime(ctx, {
      listen: values.listen,
      rootDirectory: path.resolve(values.root),
      stateDirectory: path.resolve(values.state),
      handlers: Object.fromEntries(
        Object.entries(values.runtime).map(([handler, program]) => [handler, { path: program }]),
      ),
      defaultHandler: values['default-runtime'],
      conmon: values.conmon,
      cgroupDriver: values['cgroup-driver'] === 'systemd' ? 'systemd' : 'cgroupfs',
      ...(values['cgroup-parent'] ? { cgroupParent: values['cgroup-parent'] } : {}),
      ...(values['node-netns'] ? { nodeNetns: values['node-netns'] } : {}),
      ...(network && { network }),
      streamingAddress: { host, port },
      images: {
        pinned: values['pinned-images'],
        registries: {
          ...(values['registry-hosts-dir'] ? { hostsDirectory: values['registry-hosts-dir'] } : {}),
          ...(values['docker-config'] ? { dockerConfig: values['docker-config'] } : {}),
        },
      },
      onReady: ({ imageStore }) => {
        const readySeconds = secondsSinceProcessStart(ctx.clock);
        printLine(
          values.output,
          { listen: values.listen, readySeconds },
          `container runtime on ${values.listen}, ready in ${readySeconds.toFixed(2)} s`,
        );
        for (const archive of values['load-archive']) {
          const loading = imageStore.loadArchive(fs.createReadStream(archive), { signal: ctx.signal }).then(
            (images) => {
              const loaded = images.flatMap((image) => image.tags);
              printLine(values.output, { loaded }, `loaded ${loaded.join(', ')}`);
            },
            (error: unknown) => ctx.logger.error(error, 'Failed to load the image archive', { archive }),
          );
          archives.push(loading);
        }
      },
    });
    await Promise.all(archives);
    return 0;
  } finally {
    await network?.close();
    release();
  }
}

interface NetworkFlags {
  readonly network: string;
  readonly root: string;
  readonly 'node-netns': string | undefined;
  readonly 'bridge-name': string;
  readonly 'pod-cidr': readonly string[];
  readonly 'cni-conf-dir': string;
  readonly 'cni-bin-dir': readonly string[];
}

async function openNetwork(ctx: Context, asked: NetworkFlags): Promise<PodNetwork | undefined> {
  const stateDirectory = path.resolve(asked.root, 'network');
  const nodeNetns = asked['node-netns'];
  if (asked.network === 'none') return undefined;
  if (asked.network === 'cni') {
    return new CniNetwork(ctx, {
      stateDirectory,
      nodeNetns,
      configDirectory: asked['cni-conf-dir'],
      pluginDirectories: asked['cni-bin-dir'],
    });
  }
  const network = await BridgeNetwork.open(ctx, { stateDirectory, nodeNetns, bridgeName: asked['bridge-name'] });
  if (asked['pod-cidr'].length > 0) await network.configure({ podCidrs: asked['pod-cidr'] });
  return network;
}

/** `host:port`, `[::1]:port`. */
function splitAddress(address: string): [host: string, port: number] {
  const colon = address.lastIndexOf(':');
  if (colon < 0 || !/^\d+$/.test(address.slice(colon + 1)))
    throw new Error(`${JSON.stringify(address)} is not an address of the form host:port`);
  return [address.slice(0, colon).replace(/^\[|\]$/g, ''), Number(address.slice(colon + 1))];
}
