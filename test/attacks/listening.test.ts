import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realNodesObstacle } from '../../src/cluster/index.ts';
import { type K8tsProcess, startK8ts } from '../k8ts-process.ts';
import { listeningSockets } from './listening-sockets.ts';

const KINDS = [
  {
    nodes: 'simulated',
    flags: ['--nodes', '0', '--simulated-nodes', '1'],
    skip: existsSync('/proc/self/net/tcp') ? undefined : 'needs /proc',
  },
  { nodes: 'real', flags: ['--nodes', '1'], skip: realNodesObstacle()?.reason },
];
/** The host's end of the network that joins the nodes of this machine; clusters beside this one have other ranges. */
const FABRIC_ADDRESS = /^(10\.\d+)\.0\.1$/;
const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1';

describe.each(KINDS)('a default cluster with $nodes nodes', ({ nodes, flags, skip }) => {
  it.skipIf(skip !== undefined)(
    `listens on loopback only, and only its owner can read its secrets${skip === undefined ? '' : ` (skipped: ${skip})`}`,
    async () => {
      const scratch = mkdtempSync(join(tmpdir(), 'k8ts-listening-'));
      const directory = join(scratch, 'data');
      let k8ts: K8tsProcess | undefined;
      // What has no mode of its own would be open to everybody.
      const mask = process.umask(0);
      try {
        k8ts = await startK8ts({ dataDirectory: directory, flags });
      } finally {
        process.umask(mask);
      }
      try {
        const sockets = listeningSockets(k8ts.pid);
        const beyond = sockets.filter(({ address }) => !isLoopback(address));
        expect(sockets.map(({ port }) => port)).toContain(k8ts.port);
        if (nodes === 'simulated') expect(beyond).toEqual([]);
        else {
          expect(beyond.filter(({ address }) => !FABRIC_ADDRESS.test(address))).toEqual([]);
          expect(guardedRanges(), 'packets from other machines for the cluster’s addresses are dropped').toContain(
            `${FABRIC_ADDRESS.exec(beyond[0]!.address)![1]}.0.0/16`,
          );
        }
        expect(openToOthers(directory)).toEqual([]);
      } finally {
        await k8ts.stop();
        rmSync(scratch, { recursive: true, force: true });
      }
    },
  );
});

/** Files and directories that somebody else may read, write or enter, and that are not meant for them. */
function openToOthers(root: string): string[] {
  const found: string[] = [];
  const visit = (path: string): void => {
    const status = lstatSync(path);
    const name = relative(root, path);
    const isPublic = /\.(crt|pub)$/.test(name) || status.isSymbolicLink();
    if (!isPublic && (status.mode & 0o077) !== 0) found.push(`${name} ${(status.mode & 0o777).toString(8)}`);
    if (status.isDirectory())
      for (const entry of readdirSync(path)) if (join(name, entry) !== 'nodes') visit(join(path, entry));
  };
  visit(root);
  // Containers with user namespaces pass through these; what is secret below them is not theirs to read.
  for (const node of existsSync(join(root, 'nodes')) ? readdirSync(join(root, 'nodes')) : []) {
    const mode = lstatSync(join(root, 'nodes', node)).mode & 0o077;
    if (mode !== 0) found.push(`nodes/${node} ${mode.toString(8)}`);
  }
  return found;
}

function guardedRanges(): string {
  const rules = execFileSync('nft', ['list', 'ruleset']).toString();
  return rules
    .split('\n')
    .filter((line) => /iifname != \{ "lo", .* drop/.test(line))
    .join('\n');
}
