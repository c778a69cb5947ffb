/** Whether this machine can run containers. */
import fs from 'node:fs';
import path from 'node:path';
import { ownValue } from '../base/index.ts';

export interface Obstacle {
  /** `missing`: a program can be installed; `impossible`: not on this machine or for this user. */
  readonly kind: 'missing' | 'impossible';
  readonly reason: string;
}

/** Programs that a node needs, and the Debian packages that have them. */
export const NODE_PROGRAMS: Readonly<Record<string, { readonly package: string; readonly purpose: string }>> = {
  runc: { package: 'runc', purpose: 'creates containers' },
  conmon: { package: 'conmon', purpose: 'holds their output and exit codes' },
  nft: { package: 'nftables', purpose: 'sends packets to Services' },
  ip: { package: 'iproute2', purpose: "makes the nodes' networks" },
};

/** Why this machine cannot run containers; undefined when it can. */
export function realNodesObstacle(): Obstacle | undefined {
  if (process.platform !== 'linux')
    return { kind: 'impossible', reason: `containers need Linux, and this is ${process.platform}` };
  const missing = missingPrograms();
  if (missing.length > 0)
    return {
      kind: 'missing',
      reason: `containers need ${missing.join(' and ')} (apt install ${missing.map((name) => ownValue(NODE_PROGRAMS, name)!.package).join(' ')})`,
    };
  return undefined;
}

export function missingPrograms(): string[] {
  return Object.keys(NODE_PROGRAMS).filter((name) => !isInstalled(name));
}

/** Services are often started with a PATH without the sbin folders. */
export function isInstalled(program: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/sbin', '/usr/local/sbin'];
  return folders.some((folder) => {
    try {
      fs.accessSync(path.join(folder, program), fs.constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
