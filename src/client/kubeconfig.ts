import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { isRecord } from '../base/index.ts';
import type { Clock } from '../kernel/index.ts';
import { ClientConfigError, type ClientConfig } from './client-config.ts';
import {
  anonymous,
  basicAuth,
  bearerToken,
  clientCertificate,
  combine,
  readPem,
  tokenFile,
  type Credentials,
  type PemSource,
} from './credentials.ts';
import { execCredentials } from './exec-credentials.ts';

export interface KubeconfigOptions {
  clock: Clock;
  /** A file, instead of $KUBECONFIG or ~/.kube/config. */
  file?: string;
  /** A context, instead of the current one. */
  context?: string;
  environment?: Readonly<Record<string, string | undefined>>;
}

/** A named entry, and the directory that its relative paths refer to. */
interface Entry {
  value: Record<string, unknown>;
  directory: string;
}

interface Kubeconfig {
  currentContext: string | undefined;
  clusters: Map<string, Entry>;
  users: Map<string, Entry>;
  contexts: Map<string, Entry>;
}

/** Loads the configuration of a context from one file or from the files in $KUBECONFIG, merged. */
export async function loadKubeconfig(options: KubeconfigOptions): Promise<ClientConfig> {
  const { environment = process.env } = options;
  const listed = environment['KUBECONFIG']?.split(path.delimiter).filter((file) => file !== '');
  const files = options.file !== undefined ? [options.file] : (listed ?? [path.join(os.homedir(), '.kube', 'config')]);
  const config = emptyKubeconfig();
  let found = false;
  for (const file of files) {
    let text: string;
    try {
      text = await fs.readFile(file, 'utf8');
    } catch (error) {
      if (options.file === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw new ClientConfigError(`kubeconfig ${file} cannot be read`, { cause: error });
    }
    found = true;
    mergeKubeconfig(config, text, { file, directory: path.dirname(path.resolve(file)) });
  }
  if (!found) throw new ClientConfigError(`there is no kubeconfig at ${files.join(', ')}`);
  return resolveContext(config, options);
}

function emptyKubeconfig(): Kubeconfig {
  return { currentContext: undefined, clusters: new Map(), users: new Map(), contexts: new Map() };
}

/** Merges a file; entries of earlier files win, as in kubectl. */
function mergeKubeconfig(config: Kubeconfig, text: string, from: { file: string; directory: string }): void {
  let parsed: unknown;
  try {
    parsed = parse(text);
  } catch (error) {
    throw new ClientConfigError(`kubeconfig ${from.file} is not YAML`, { cause: error });
  }
  if (parsed === null || parsed === undefined) return;
  if (!isRecord(parsed)) throw new ClientConfigError(`kubeconfig ${from.file} is not a mapping`);
  const current = parsed['current-context'];
  if (typeof current === 'string' && current !== '') config.currentContext ??= current;
  const sections = [
    ['clusters', 'cluster', config.clusters],
    ['users', 'user', config.users],
    ['contexts', 'context', config.contexts],
  ] as const;
  for (const [section, key, entries] of sections) {
    const list = parsed[section] ?? [];
    if (!Array.isArray(list)) throw new ClientConfigError(`kubeconfig ${from.file}: ${section} is not a list`);
    for (const item of list) {
      if (!isRecord(item) || typeof item['name'] !== 'string')
        throw new ClientConfigError(`kubeconfig ${from.file}: an entry of ${section} has no name`);
      const value = item[key];
      if (!entries.has(item['name']))
        entries.set(item['name'], { value: isRecord(value) ? value : {}, directory: from.directory });
    }
  }
}

async function resolveContext(config: Kubeconfig, options: { clock: Clock; context?: string }): Promise<ClientConfig> {
  const name = options.context ?? config.currentContext;
  if (name === undefined) throw new ClientConfigError('kubeconfig: no context is given and current-context is not set');
  const context = find(config.contexts, name, 'context');
  const clusterName = text(context, 'cluster') ?? '';
  const cluster = find(config.clusters, clusterName, 'cluster');
  const userName = text(context, 'user');
  const user = userName === undefined ? undefined : find(config.users, userName, 'user');
  const server = text(cluster, 'server');
  if (server === undefined) throw new ClientConfigError(`kubeconfig: cluster ${clusterName} has no server`);
  if (text(cluster, 'proxy-url') !== undefined)
    throw new ClientConfigError(`kubeconfig: cluster ${clusterName} has a proxy-url, which is not supported`);
  const ca = pem(cluster, 'certificate-authority');
  const impersonated = user && text(user, 'as');
  return {
    server,
    ca: ca && (await readPem(ca)),
    insecureSkipTlsVerify: cluster.value['insecure-skip-tls-verify'] === true,
    tlsServerName: text(cluster, 'tls-server-name'),
    credentials:
      user === undefined ? anonymous : userCredentials(user, userName ?? '', { clock: options.clock, cluster }),
    impersonate: impersonated
      ? { user: impersonated, uid: text(user, 'as-uid'), groups: user.value['as-groups'] as string[] | undefined }
      : undefined,
    namespace: text(context, 'namespace') ?? 'default',
  };
}

function userCredentials(user: Entry, name: string, { clock, cluster }: { clock: Clock; cluster: Entry }): Credentials {
  if (user.value['auth-provider'] !== undefined) {
    throw new ClientConfigError(
      `kubeconfig: user ${name} has an auth-provider, which Kubernetes has removed; use exec`,
    );
  }
  const all: Credentials[] = [];
  const cert = pem(user, 'client-certificate');
  const key = pem(user, 'client-key');
  if (cert !== undefined && key !== undefined) all.push(clientCertificate(cert, key));
  const file = filePath(user, 'tokenFile');
  const token = text(user, 'token');
  if (file !== undefined) all.push(tokenFile(file, clock));
  else if (token !== undefined) all.push(bearerToken(token));
  const username = text(user, 'username');
  if (username !== undefined) all.push(basicAuth(username, text(user, 'password') ?? ''));
  const exec = user.value['exec'];
  if (isRecord(exec)) all.push(execPlugin(exec, name, { clock, cluster, directory: user.directory }));
  return combine(...all);
}

function execPlugin(
  exec: Record<string, unknown>,
  user: string,
  at: { clock: Clock; cluster: Entry; directory: string },
): Credentials {
  const { command, args, env, apiVersion, installHint, provideClusterInfo } = exec;
  if (typeof command !== 'string' || command === '')
    throw new ClientConfigError(`kubeconfig: user ${user}: exec has no command`);
  const { value } = at.cluster;
  const variables = Array.isArray(env)
    ? env.filter(isRecord).map((item) => [String(item['name']), String(item['value'])] as const)
    : [];
  return execCredentials(
    {
      apiVersion: typeof apiVersion === 'string' ? apiVersion : '',
      /** A bare name is looked up in $PATH; a path is relative to the kubeconfig. */
      command: command.includes('/') ? path.resolve(at.directory, command) : command,
      args: Array.isArray(args) ? args.map(String) : [],
      env: Object.fromEntries(variables),
      installHint: typeof installHint === 'string' ? installHint : undefined,
      cluster:
        provideClusterInfo === true
          ? { server: value['server'], 'certificate-authority-data': value['certificate-authority-data'] }
          : undefined,
    },
    at.clock,
  );
}

function find(entries: Map<string, Entry>, name: string, what: string): Entry {
  const entry = entries.get(name);
  if (entry === undefined) throw new ClientConfigError(`kubeconfig: there is no ${what} ${JSON.stringify(name)}`);
  return entry;
}

function text(entry: Entry, key: string): string | undefined {
  const value = entry.value[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function filePath(entry: Entry, key: string): string | undefined {
  const file = text(entry, key);
  return file === undefined ? undefined : path.resolve(entry.directory, file);
}

/** `<key>-data` in base64 wins over the file `<key>`, as it does for kubectl. */
function pem(entry: Entry, key: string): PemSource | undefined {
  const data = text(entry, `${key}-data`);
  if (data !== undefined) return { data: Buffer.from(data, 'base64').toString('utf8') };
  const file = filePath(entry, key);
  return file === undefined ? undefined : { file };
}
