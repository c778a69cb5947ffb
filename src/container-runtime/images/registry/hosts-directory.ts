/** Reads registry hosts and mirrors from a directory in containerd's certs.d layout (hosts.toml). */
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parse as parseToml, TomlError, type TomlTable, type TomlValue } from 'smol-toml';
import { errorMessage } from '../../../base/index.ts';
import { ImageError } from '../image-error.ts';
import type { EndpointSettings, RegistryEndpoint, RegistryHosts } from './registry-options.ts';

/** Undefined if the directory has no settings for the host. */
export async function readHostsDirectory(directory: string, domain: string): Promise<RegistryHosts | undefined> {
  for (const name of folderNames(domain)) {
    const folder = join(directory, name);
    const files = await readdir(folder).catch(() => undefined);
    if (files === undefined) continue;
    if (!files.includes('hosts.toml')) return { settings: await dockerCertificates(folder, files) };
    const path = join(folder, 'hosts.toml');
    try {
      return await parseHosts(await readFile(path, 'utf8'), folder);
    } catch (error) {
      throw new ImageError('FAILED_PRECONDITION', `${path}: ${problemText(error)}`, { cause: error });
    }
  }
  return undefined;
}

/** One line, because a TomlError's message also quotes the file. */
function problemText(error: unknown): string {
  if (error instanceof TomlError) return `line ${error.line}: ${error.message.split('\n', 1)[0]}`;
  return errorMessage(error);
}

/** `host_port_` is an alternative name, because some file systems do not allow colons. */
function folderNames(domain: string): string[] {
  const [host, port] = domain.split(/:(?=[0-9]+$)/);
  return port === undefined ? [domain, '_default'] : [domain, `${host}_${port}_`, '_default'];
}

export async function parseHosts(text: string, folder: string): Promise<RegistryHosts> {
  const table = parseToml(text);
  const hosts = isTable(table.host) ? table.host : {};
  const mirrors: RegistryEndpoint[] = [];
  for (const [url, host] of Object.entries(hosts)) {
    if (!isTable(host)) throw new Error(`host ${JSON.stringify(url)} is not a table`);
    const capabilities = strings(host.capabilities).filter((item) => item === 'pull' || item === 'resolve');
    mirrors.push({
      url: withScheme(url),
      ...(host.override_path === true ? { overridePath: true } : {}),
      ...(host.capabilities === undefined ? {} : { capabilities }),
      ...(await settingsOf(host, folder)),
    });
  }
  return {
    ...(typeof table.server === 'string' ? { server: withScheme(table.server) } : {}),
    mirrors,
    settings: await settingsOf(table, folder),
  };
}

async function settingsOf(table: TomlTable, folder: string): Promise<EndpointSettings> {
  const read = (path: string): Promise<string> => readFile(resolve(folder, path), 'utf8');
  const ca = await Promise.all(strings(table.ca).map(read));
  const pairs = typeof table.client === 'string' ? [table.client] : Array.isArray(table.client) ? table.client : [];
  const clientCertificates = [];
  for (const pair of pairs) {
    const [certificate = '', key = certificate] = strings(pair);
    clientCertificates.push({ certificate: await read(certificate), key: await read(key) });
  }
  const headers = isTable(table.header) ? table.header : {};
  return {
    ...(ca.length > 0 ? { ca } : {}),
    ...(clientCertificates.length > 0 ? { clientCertificates } : {}),
    ...(table.skip_verify === true ? { skipVerify: true } : {}),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, strings(value).join(', ')])),
    // An http:// URL in this file is explicit permission.
    plainHttp: true,
  };
}

/** Docker's layout: `*.crt` are CAs, `<name>.cert` and `<name>.key` a client certificate. */
async function dockerCertificates(folder: string, files: readonly string[]): Promise<EndpointSettings> {
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  const ca = await Promise.all(files.filter((name) => name.endsWith('.crt')).map(read));
  const names = files.filter((name) => name.endsWith('.cert')).map((name) => name.slice(0, -'.cert'.length));
  const clientCertificates = await Promise.all(
    names
      .filter((name) => files.includes(`${name}.key`))
      .map(async (name) => ({ certificate: await read(`${name}.cert`), key: await read(`${name}.key`) })),
  );
  return { ...(ca.length > 0 ? { ca } : {}), ...(clientCertificates.length > 0 ? { clientCertificates } : {}) };
}

function withScheme(url: string): string {
  return /^https?:\/\//.test(url) ? url : `https://${url}`;
}

function strings(value: TomlValue | undefined): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function isTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value);
}
