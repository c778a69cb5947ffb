/** Makes the data of a member from a snapshot: it is the only member of a new etcd cluster then. */
import fs from 'node:fs';
import { makeDirectoryDurably, renameDurably, syncDirectory, type Context } from '../../kernel/index.ts';
import { runIn } from '../../net/netns/index.ts';
import { memberDirectoryOf, memberUrls, type ManagedEtcdOptions } from './etcd-options.ts';
import { findEtcd, findRestoreTool } from './programs.ts';

interface RestoreMember extends Pick<ManagedEtcdOptions, 'binary' | 'memberName' | 'address' | 'port'> {
  readonly dataDirectory: string;
  readonly snapshot: string;
  /** Whether the data goes back in time: clients that have seen more must list again. */
  readonly isOlder: boolean;
}

/** More than any cluster writes between two snapshots, as etcd's documentation recommends. */
const REVISION_BUMP = 1_000_000_000;

/** The data of before stays beside it, as `etcd-member.before`. The cluster must not run. */
export async function restoreMember({ signal }: Context, options: RestoreMember): Promise<void> {
  const { dataDirectory, memberName, snapshot } = options;
  const tool = findRestoreTool(findEtcd(options.binary));
  const directory = memberDirectoryOf(dataDirectory);
  const building = `${directory}.restoring`;
  makeDirectoryDurably(dataDirectory, 0o700);
  fs.rmSync(building, { recursive: true, force: true });
  const { peer } = memberUrls(options);
  const env = { ...process.env, ETCDCTL_API: '3' };
  const bump =
    options.isOlder && (await runIn(tool, ['snapshot', 'restore', '--help'], { env })).includes('--bump-revision')
      ? ['--bump-revision', String(REVISION_BUMP), '--mark-compacted']
      : [];
  await runIn(
    tool,
    [
      ...['snapshot', 'restore', snapshot, '--data-dir', building, '--name', memberName],
      ...['--initial-cluster', `${memberName}=${peer}`, '--initial-advertise-peer-urls', peer, ...bump],
    ],
    { env, signal },
  );
  await syncTree(building);
  const before = `${directory}.before`;
  fs.rmSync(before, { recursive: true, force: true });
  if (fs.existsSync(directory)) await renameDurably(directory, before);
  await renameDurably(building, directory);
}

/** The tool does not sync everything. */
async function syncTree(directory: string): Promise<void> {
  for (const entry of fs.readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const file = `${entry.parentPath}/${entry.name}`;
    if (entry.isDirectory()) await syncDirectory(file);
    else if (entry.isFile()) fs.fsyncSync(fs.openSync(file, 'r+'));
  }
  await syncDirectory(directory);
}
