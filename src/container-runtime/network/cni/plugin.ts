/** Calls a CNI plugin: runs its executable with the configuration on standard input. */
import fs from 'node:fs';
import path from 'node:path';
import { spawnIn } from '../../../net/netns/index.ts';
import { PodNetworkError } from '../pod-network.ts';
import { isObject, type JsonObject } from './network-list.ts';

export type CniCommand = 'ADD' | 'DEL' | 'CHECK' | 'GC' | 'STATUS';

interface PluginCall {
  readonly command: CniCommand;
  readonly type: string;
  readonly config: JsonObject;
  readonly pluginDirectories: readonly string[];
  /** The network namespace that plugins run in: the node's. */
  readonly nodeNetns: string | undefined;
  /** Absent for GC and STATUS. */
  readonly sandbox?: {
    readonly id: string;
    readonly netns: string;
    readonly interfaceName: string;
    readonly args: readonly (readonly [string, string])[];
  };
  readonly signal?: AbortSignal;
}

/**
 * A plugin failed. `cniCode` is the specification's, such as 7 (invalid configuration), 11 (try again), 50 (not
 * available).
 */
class PluginError extends PodNetworkError {
  constructor(
    readonly plugin: string,
    readonly command: CniCommand,
    readonly cniCode: number | undefined,
    detail: string,
  ) {
    super('plugin-failed', `plugin type="${plugin}" failed (${command.toLowerCase()}): ${detail}`);
    this.name = 'PluginError';
  }
}

/** Returns the plugin's result, if it is a JSON object. */
export async function callPlugin(call: PluginCall): Promise<JsonObject | undefined> {
  const { command, type, config, pluginDirectories, nodeNetns, sandbox, signal } = call;
  const program = findPlugin(type, pluginDirectories);
  const { exitCode, stdout, stderr } = await spawnIn(program, [], {
    netns: nodeNetns,
    input: JSON.stringify(config),
    env: {
      ...process.env,
      CNI_COMMAND: command,
      CNI_PATH: pluginDirectories.join(':'),
      ...(sandbox === undefined
        ? {}
        : {
            CNI_CONTAINERID: sandbox.id,
            CNI_NETNS: sandbox.netns,
            CNI_IFNAME: sandbox.interfaceName,
            CNI_ARGS: sandbox.args.map(([key, value]) => `${key}=${value}`).join(';'),
          }),
    },
    ...(signal === undefined ? {} : { signal }),
  });
  const answer = parse(stdout);
  if (exitCode === 0) {
    if (command === 'ADD' && answer === undefined)
      throw new PluginError(
        type,
        command,
        undefined,
        `it returned no result: ${stdout.trim() || stderr.trim() || 'no output'}`,
      );
    return answer;
  }
  const { code, msg, details } = answer ?? {};
  const message =
    [msg, details].filter((text) => typeof text === 'string' && text !== '').join('; ') ||
    stderr.trim() ||
    stdout.trim() ||
    `netplugin failed with no error message (exit code ${exitCode})`;
  throw new PluginError(type, command, typeof code === 'number' ? code : undefined, message);
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The reference plugins, which distributions have in a package. */
const REFERENCE_PLUGINS = new Set(
  'bandwidth bridge dhcp dummy firewall host-device host-local ipvlan loopback macvlan portmap ptp sbr static tap tuning vlan vrf'.split(
    ' ',
  ),
);

export function findPlugin(type: string, directories: readonly string[]): string {
  for (const directory of directories) {
    const program = path.join(directory, type);
    if (fs.statSync(program, { throwIfNoEntry: false })?.isFile()) return program;
  }
  const hint = REFERENCE_PLUGINS.has(type) ? ' (Debian package containernetworking-plugins)' : '';
  throw new PodNetworkError(
    'bad-configuration',
    `failed to find plugin "${type}" in path [${directories.join(' ')}]${hint}`,
  );
}
