/** The CNI pod network: calls the CNI plugins of a configuration directory. */
import { errorMessage } from '../../../base/index.ts';
import type { Context } from '../../../kernel/index.ts';
import { isNetns, NetlinkSocket, setLink } from '../../../net/netns/index.ts';
import { KeyedLock } from '../../records/keyed-lock.ts';
import {
  PodNetworkError,
  type Attachment,
  type NetworkSandbox,
  type NetworkStatus,
  type PodNetwork,
  type PodNetworkConfig,
} from '../pod-network.ts';
import { CachedAttachments, type CachedAttachment } from './cached-attachments.ts';
import { loadNetwork, versionAtLeast, type JsonObject, type NetworkList, type PluginConfig } from './network-list.ts';
import { capabilityArguments, cniArguments, pluginConfig, type RuntimeArguments } from './plugin-config.ts';
import { callPlugin, findPlugin, type CniCommand } from './plugin.ts';
import { attachmentOf } from './result.ts';

interface CniNetworkOptions {
  /** Default /etc/cni/net.d. */
  readonly configDirectory?: string;
  /** Default /opt/cni/bin, /usr/lib/cni and /usr/libexec/cni. */
  readonly pluginDirectories?: readonly string[];
  /** The directory of cached results of ADD. It must survive as long as sandboxes. */
  readonly stateDirectory: string;
  /** The network namespace that plugins run in: the node's; default the process's own. */
  readonly nodeNetns?: string | undefined;
  /** The timeout of a plugin call; default two minutes. */
  readonly timeoutMs?: number;
}

const DEFAULT_CONFIG_DIRECTORY = '/etc/cni/net.d';
export const DEFAULT_PLUGIN_DIRECTORIES = ['/opt/cni/bin', '/usr/lib/cni', '/usr/libexec/cni'];
const INTERFACE_NAME = 'eth0';
const TIMEOUT_MS = 120_000;

export class CniNetwork implements PodNetwork {
  readonly kind = 'cni';
  readonly #ctx: Context;
  readonly #options: CniNetworkOptions & Required<Pick<CniNetworkOptions, 'configDirectory' | 'pluginDirectories'>>;
  readonly #cache: CachedAttachments;
  readonly #locks = new KeyedLock();
  #podCidrs: readonly string[] = [];

  constructor(ctx: Context, options: CniNetworkOptions) {
    this.#ctx = ctx;
    this.#options = {
      ...options,
      configDirectory: options.configDirectory ?? DEFAULT_CONFIG_DIRECTORY,
      pluginDirectories: options.pluginDirectories ?? DEFAULT_PLUGIN_DIRECTORIES,
    };
    this.#cache = new CachedAttachments(options.stateDirectory);
  }

  /** Plugins with the capability "ipRanges" get the node's pod CIDRs; others have their own configuration. */
  async configure({ podCidrs }: PodNetworkConfig): Promise<void> {
    this.#podCidrs = podCidrs;
  }

  /** Reads the configuration for every call, so that changes apply at once. */
  #network(): NetworkList {
    const { list, problems } = loadNetwork(this.#options.configDirectory);
    if (list === undefined) throw new PodNetworkError('not-configured', problems.join('; '));
    return list;
  }

  async ready(): Promise<NetworkStatus> {
    try {
      const list = this.#network();
      for (const { type } of list.plugins) findPlugin(type, this.#options.pluginDirectories);
      if (versionAtLeast(list.cniVersion, '1.1.0')) {
        for (const plugin of list.plugins) await this.#call('STATUS', { list, plugin });
      }
      return { ready: true };
    } catch (error) {
      const message = `Network plugin returns error: ${errorMessage(error)}`;
      return { ready: false, reason: 'NetworkPluginNotReady', message };
    }
  }

  attachment(id: string): Attachment | undefined {
    const cached = this.#cache.get(id);
    return cached?.result && attachmentOf(cached.result, cached.ifName);
  }

  attach(sandbox: NetworkSandbox): Promise<Attachment> {
    return this.#locks.run(sandbox.id, async () => {
      const { id, netnsPath } = sandbox;
      const existing = this.attachment(id);
      if (existing !== undefined) return existing;
      if (netnsPath === undefined || !isNetns(netnsPath))
        throw new PodNetworkError(
          'kernel-refused',
          `${titleOf(sandbox)}: there is no network namespace at ${netnsPath}`,
        );
      const list = this.#network();
      const interrupted = this.#cache.get(id);
      if (interrupted !== undefined) await this.#delete(interrupted, sandbox);
      const cached: CachedAttachment = {
        containerId: id,
        ifName: INTERFACE_NAME,
        networkName: list.name,
        netns: netnsPath,
        list,
        cniArgs: cniArguments(sandbox),
        capabilityArgs: capabilityArguments(sandbox, this.#podCidrs),
      };
      this.#cache.put(cached);
      try {
        await loopbackUp(netnsPath);
        const result = await this.#add(cached, netnsPath);
        const attachment = attachmentOf(result, INTERFACE_NAME);
        if (attachment.ips.length === 0)
          throw new PodNetworkError('plugin-failed', `${titleOf(sandbox)}: the network "${list.name}" gave no address`);
        this.#cache.put({ ...cached, result });
        return attachment;
      } catch (error) {
        await this.#delete(cached, sandbox).catch((again: unknown) =>
          this.#ctx.logger.error(again, 'Failed to clean up a failed network attachment', { sandbox: id }),
        );
        throw wrap(error, sandbox);
      }
    });
  }

  /** Each plugin gets the result of the previous one. */
  async #add(cached: CachedAttachment, netns: string): Promise<JsonObject> {
    const { list } = cached;
    let prevResult: JsonObject | undefined;
    for (const plugin of list.plugins)
      prevResult = await this.#call('ADD', { list, plugin, cached, netns, prevResult });
    return prevResult!;
  }

  detach(sandbox: NetworkSandbox): Promise<void> {
    return this.#locks.run(sandbox.id, async () => {
      const cached = this.#cache.get(sandbox.id);
      if (cached === undefined) return;
      try {
        await this.#delete(cached, sandbox);
      } catch (error) {
        throw wrap(error, sandbox);
      }
    });
  }

  /** Calls DEL in reverse order, with the configuration and the result of ADD. */
  async #delete(
    cached: CachedAttachment,
    { netnsPath = cached.netns }: Pick<NetworkSandbox, 'netnsPath'>,
  ): Promise<void> {
    const { list, result } = cached;
    const prevResult = versionAtLeast(list.cniVersion, '0.4.0') ? result : undefined;
    // Without a namespace, plugins release resources outside of it, such as addresses.
    const netns = isNetns(netnsPath) ? netnsPath : undefined;
    for (const plugin of list.plugins.toReversed())
      await this.#call('DEL', { list, plugin, cached, netns, prevResult });
    this.#cache.delete(cached);
  }

  async check(sandbox: NetworkSandbox): Promise<void> {
    const cached = this.#cache.get(sandbox.id);
    if (cached?.result === undefined)
      throw new PodNetworkError('not-attached', `${titleOf(sandbox)} is not attached to the network`);
    const { list, result } = cached;
    if (list.disableCheck || !versionAtLeast(list.cniVersion, '0.4.0')) return;
    try {
      for (const plugin of list.plugins)
        await this.#call('CHECK', { list, plugin, cached, netns: sandbox.netnsPath, prevResult: result });
    } catch (error) {
      throw wrap(error, sandbox);
    }
  }

  async reconcile(liveSandboxIds: Iterable<string>): Promise<void> {
    const live = new Set(liveSandboxIds);
    for (const { containerId } of this.#cache.all()) {
      if (live.has(containerId) || this.#locks.isBusy(containerId)) continue;
      this.#ctx.logger.info('Releasing the network of a sandbox that is gone', { sandbox: containerId });
      await this.detach({ id: containerId, name: '', namespace: '', uid: '' });
    }
    const { list } = loadNetwork(this.#options.configDirectory);
    if (list === undefined || list.disableGC || !versionAtLeast(list.cniVersion, '1.1.0')) return;
    const validAttachments = this.#cache
      .all()
      .filter(({ networkName }) => networkName === list.name)
      .map(({ containerId, ifName }) => ({ containerID: containerId, ifname: ifName }));
    for (const plugin of list.plugins) await this.#call('GC', { list, plugin, validAttachments });
  }

  async close(): Promise<void> {
    await this.#locks.idle();
  }

  /** `cached` is absent for calls that concern the whole network (STATUS, GC). */
  #call(
    command: CniCommand,
    { list, plugin, cached, netns, ...runtime }: NetworkCall,
  ): Promise<JsonObject | undefined> {
    return callPlugin({
      command,
      type: plugin.type,
      config: pluginConfig(list, plugin, { ...runtime, capabilityArgs: cached?.capabilityArgs }),
      pluginDirectories: this.#options.pluginDirectories,
      nodeNetns: this.#options.nodeNetns,
      ...(cached === undefined
        ? {}
        : {
            sandbox: { id: cached.containerId, netns: netns ?? '', interfaceName: cached.ifName, args: cached.cniArgs },
          }),
      signal: this.#ctx.clock.deadline(this.#options.timeoutMs ?? TIMEOUT_MS),
    });
  }
}

interface NetworkCall extends Omit<RuntimeArguments, 'capabilityArgs'> {
  readonly list: NetworkList;
  readonly plugin: PluginConfig;
  readonly cached?: CachedAttachment;
  readonly netns?: string | undefined;
}

async function loopbackUp(netns: string): Promise<void> {
  const socket = new NetlinkSocket(netns);
  try {
    await socket.send([setLink({ name: 'lo', up: true })]);
  } finally {
    socket.close();
  }
}

const titleOf = ({ namespace, name, id }: NetworkSandbox): string =>
  `the sandbox ${id.slice(0, 13)} of the pod ${namespace}/${name}`;

function wrap(error: unknown, sandbox: NetworkSandbox): PodNetworkError {
  const message = errorMessage(error);
  return new PodNetworkError(
    error instanceof PodNetworkError ? error.code : 'plugin-failed',
    `${titleOf(sandbox)}: ${message}`,
    { cause: error },
  );
}
