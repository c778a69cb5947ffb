import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Target } from './load.ts';

interface KubeconfigFile {
  'current-context'?: string;
  contexts?: { name: string; context: { cluster: string; user: string } }[];
  clusters: {
    name: string;
    cluster: { server: string; 'certificate-authority'?: string; 'certificate-authority-data'?: string };
  }[];
  users: { name: string; user: Record<string, string | undefined> }[];
}

/** The server and the user of a kubeconfig's current context, by certificate or token. */
export function targetOf(file: string): Target {
  const config = parse(readFileSync(file, 'utf8')) as KubeconfigFile;
  const context = config.contexts?.find(({ name }) => name === config['current-context'])?.context;
  const { cluster } = config.clusters.find(({ name }) => name === context?.cluster) ?? config.clusters[0]!;
  const { user } = config.users.find(({ name }) => name === context?.user) ?? config.users[0]!;
  const inline = (data: string | undefined, path: string | undefined): string | undefined =>
    data ? Buffer.from(data, 'base64').toString() : path && readFileSync(path, 'utf8');
  const ca = inline(cluster['certificate-authority-data'], cluster['certificate-authority']);
  const cert = inline(user['client-certificate-data'], user['client-certificate']);
  const key = inline(user['client-key-data'], user['client-key']);
  return {
    server: cluster.server,
    ...(ca ? { ca } : {}),
    ...(cert ? { cert } : {}),
    ...(key ? { key } : {}),
    ...(user['token'] ? { token: user['token'] } : {}),
  };
}

const TICK_MS = 1000 / Number(execFileSync('getconf', ['CLK_TCK']).toString());

/** The processor time that a process has used so far, in milliseconds. */
export function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** 0 where the system does not tell. */
export function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}
