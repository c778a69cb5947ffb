/** Loads the CNI network configuration list: the first valid file of a directory such as /etc/cni/net.d. */
import fs from 'node:fs';
import path from 'node:path';
import { errorMessage } from '../../../base/index.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export interface PluginConfig extends JsonObject {
  readonly type: string;
}

export interface NetworkList {
  readonly name: string;
  readonly cniVersion: string;
  readonly disableCheck: boolean;
  readonly disableGC: boolean;
  readonly plugins: readonly PluginConfig[];
}

/** The supported versions of the CNI specification, oldest first. */
const SUPPORTED_VERSIONS = ['0.1.0', '0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'];

export const versionAtLeast = (version: string, least: string): boolean =>
  SUPPORTED_VERSIONS.indexOf(version) >= SUPPORTED_VERSIONS.indexOf(least);

interface LoadedNetwork {
  readonly list: NetworkList | undefined;
  /** Why there is no list, or why files were skipped. */
  readonly problems: readonly string[];
}

/** The first valid configuration of the directory, in the order of file names. */
export function loadNetwork(directory: string): LoadedNetwork {
  if (!fs.existsSync(directory))
    return { list: undefined, problems: [`no network config found in ${directory}: cni plugin not initialized`] };
  const problems: string[] = [];
  const files = fs
    .readdirSync(directory)
    .filter((file) => /\.(conflist|conf|json)$/.test(file))
    .sort();
  for (const file of files) {
    try {
      return {
        list: parseNetwork(fs.readFileSync(path.join(directory, file), 'utf8'), file.endsWith('.conflist')),
        problems,
      };
    } catch (error) {
      problems.push(`${path.join(directory, file)}: ${errorMessage(error)}`);
    }
  }
  if (problems.length === 0) problems.push(`no network config found in ${directory}: cni plugin not initialized`);
  return { list: undefined, problems };
}

/** Parses a list, or the configuration of a single plugin as a list of one. */
export function parseNetwork(text: string, isList: boolean): NetworkList {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error('is not a JSON object');
  const name = value.name;
  if (typeof name !== 'string' || !/^[a-zA-Z0-9][\w.-]*$/.test(name))
    throw new Error(`"${String(name)}" is not a name of a network`);
  const plugins = isList || Array.isArray(value.plugins) ? value.plugins : [value];
  if (!Array.isArray(plugins) || plugins.length === 0) throw new Error('has no plugins');
  for (const plugin of plugins) {
    if (!isObject(plugin) || typeof plugin.type !== 'string' || !/^[\w.-]+$/.test(plugin.type))
      throw new Error('has a plugin without a type');
  }
  return {
    name,
    cniVersion: chooseVersion(value),
    disableCheck: isTrue(value.disableCheck),
    disableGC: isTrue(value.disableGC),
    plugins: plugins as PluginConfig[],
  };
}

function chooseVersion({ cniVersion = '0.1.0', cniVersions = [] }: JsonObject): string {
  const offered = [cniVersion, ...(Array.isArray(cniVersions) ? (cniVersions as Json[]) : [])].filter(
    (version) => typeof version === 'string',
  );
  const best = SUPPORTED_VERSIONS.findLast((version) => offered.includes(version));
  if (best === undefined)
    throw new Error(
      `has the CNI version ${offered.join(', ')}, of which none is supported (${SUPPORTED_VERSIONS.join(', ')})`,
    );
  return best;
}

/** Older files have booleans as strings. */
const isTrue = (value: Json | undefined): boolean => value === true || value === 'true';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
