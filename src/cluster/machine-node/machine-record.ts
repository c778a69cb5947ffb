/** What a machine remembers of the cluster that it has joined: `machine.json` in its data directory. */
import fs from 'node:fs';
import path from 'node:path';
import { writeFileDurably } from '../../kernel/index.ts';
import type { ClusterConfig } from '../discovery/index.ts';
import type { CniOptions } from './start-machine-node.ts';

export interface MachineRecord {
  /** `https://HOST:PORT` of the server that it joined. */
  readonly server: string;
  /** The API servers that the cluster had when the machine last looked. */
  readonly servers?: readonly string[];
  readonly nodeName: string;
  /** The node's InternalIPs. */
  readonly addresses: readonly string[];
  /** As it was at the last start: a start without the server uses it. */
  readonly cluster: ClusterConfig;
  /** Configurations of CNI plugins instead of the built-in pod network. */
  readonly cniConfDir?: string;
  readonly cniBinDir?: readonly string[];
  readonly encrypt?: boolean;
}

const fileIn = (directory: string): string => path.join(directory, 'machine.json');

/** Undefined for a machine that has not joined. */
export function machineRecordOf(directory: string): MachineRecord | undefined {
  try {
    return JSON.parse(fs.readFileSync(fileIn(directory), 'utf8')) as MachineRecord;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${fileIn(directory)} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

export const writeMachineRecord = (directory: string, record: MachineRecord): Promise<void> =>
  writeFileDurably(fileIn(directory), `${JSON.stringify(record, null, 2)}\n`);

/** All that the machine knows of; the one that it joined may be gone. */
export const serversOf = ({ server, servers = [], cluster }: MachineRecord): string[] => [
  ...new Set([...servers, ...cluster.servers, server]),
];

/** Undefined for the built-in pod network. */
export const cniOf = ({ cniConfDir, cniBinDir = [] }: MachineRecord): CniOptions | undefined =>
  cniConfDir === undefined ? undefined : { configDirectory: cniConfDir, pluginDirectories: cniBinDir };

/** Where the node keeps containers, images and volumes. */
export const nodeDirectoryOf = (directory: string): string => path.join(directory, 'node');
export const pkiDirectoryOf = (directory: string): string => path.join(directory, 'pki');
export const kubeconfigOf = (directory: string): string => path.join(directory, 'kubelet.kubeconfig');
