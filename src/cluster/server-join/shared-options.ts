/** Which options of a cluster are the same on all of its servers: a server that joins gets them with the keys. */
import path from 'node:path';
import type { ClusterOptions, SharedOptions } from '../cluster-options.ts';

const SHARED = [
  'port',
  'serviceClusterIpRange',
  'clusterCidr',
  'runtimeConfig',
  'featureGates',
  'controllers',
  'scheduler',
  'addons',
  'historyMs',
  'loadBalancerPool',
  'nodeMonitoring',
  'profile',
] as const satisfies readonly (keyof ClusterOptions & keyof SharedOptions)[];

export function sharedOptions(options: ClusterOptions): SharedOptions {
  const given = Object.fromEntries(
    SHARED.map((name) => [name, options[name]] as const).filter(([, value]) => value !== undefined),
  ) as Pick<ClusterOptions, (typeof SHARED)[number]>;
  const { auditFile, dataDirectory = '' } = options;
  if (auditFile === undefined) return given;
  const { path: log, ...audit } = auditFile;
  return { ...given, auditFile: { ...audit, ...(log === auditLogIn(dataDirectory) ? {} : { path: log }) } };
}

/** The options as this machine has them: a log whose path nobody chose is in its own data directory. */
export function optionsOf(
  { auditFile, ...shared }: SharedOptions,
  directory: string,
): Omit<SharedOptions, 'auditFile'> & {
  readonly auditFile?: NonNullable<ClusterOptions['auditFile']>;
} {
  return auditFile === undefined ? shared : { ...shared, auditFile: { path: auditLogIn(directory), ...auditFile } };
}

/** Where the audit log is when nobody has chosen a path. */
export const auditLogIn = (directory: string): string => path.join(directory, 'audit', 'audit.log');
