/**
 * Adds this machine to the members of an etcd cluster in the safe order: as a learner, which has no vote; it becomes a
 * voter when it has caught up, and only while the others are well. One machine at a time: etcd refuses a second learner.
 */
import { errorMessage } from '../../base/index.ts';
import type { EtcdMember, EtcdMembers } from '../../etcd/index.ts';
import type { Context } from '../../kernel/index.ts';
import type { InitialCluster } from './etcd-options.ts';
import { EtcdFailed } from './run-etcd.ts';

interface NewMember {
  readonly name: string;
  readonly peerUrl: string;
}

const RETRY_MS = 500;
/** How long another machine's join is waited for. */
const TURN_LIMIT_MS = 120_000;

/** Resolves to what the new member is started with. The machine has no data of a member. */
export async function addLearner(
  { clock, signal, logger }: Context,
  members: EtcdMembers,
  { name, peerUrl }: NewMember,
): Promise<InitialCluster> {
  const limit = clock.monotonic() + TURN_LIMIT_MS;
  for (;;) {
    const known = await members.list();
    const own = known.find((member) => isAt(member, peerUrl));
    if (own) {
      // An earlier attempt of this machine, whose data is gone.
      logger.info('Removing the member that this machine was before', { member: own.id.toString(16) });
      await removeMember(members, own.id, { force: false });
      continue;
    }
    refuseAtRisk(await voterHealth(members, known), 'a member cannot be added now');
    const twin = known.find((member) => member.name === name);
    if (twin) throw new EtcdFailed(`${twin.peerUrls.join(', ')} is a member of the name ${name}; choose another one`);
    const other = known.find(({ isLearner }) => isLearner);
    const added = other === undefined ? await members.addLearner(peerUrl) : undefined;
    if (added) {
      const all = added.members.map((member) => ({ ...member, name: isAt(member, peerUrl) ? name : member.name }));
      return {
        state: 'existing',
        members: all.flatMap(({ name: one, peerUrls }) => peerUrls.map((url) => `${one}=${url}`)).join(','),
      };
    }
    if (clock.monotonic() > limit)
      throw new EtcdFailed(
        other === undefined
          ? `the members of etcd have not been connected to each other for ${TURN_LIMIT_MS / 1000} s; "k8ts status" on a server lists them`
          : `${other.name || other.peerUrls.join(', ')} has been joining for ${TURN_LIMIT_MS / 1000} s, and one machine joins at a time; if it will not, remove it with "k8ts store remove-member ${other.name || other.id.toString(16)}"`,
      );
    await clock.sleep(RETRY_MS, signal);
  }
}

/** Resolves when the member at `peerUrl` has a vote. */
export async function promote({ clock, signal }: Context, members: EtcdMembers, peerUrl: string): Promise<void> {
  for (;;) {
    const known = await members.list().catch(() => undefined);
    const own = known?.find((member) => isAt(member, peerUrl));
    if (known && !own) throw new EtcdFailed('this machine was removed from the members while it joined');
    if (own && !own.isLearner) return;
    if (known && own) {
      const health = await voterHealth(members, known);
      const isSafe = health.healthy + 1 >= quorumOf(health.voters + 1);
      if (isSafe && (await members.promote(own.id).catch(() => false))) return;
    }
    await clock.sleep(RETRY_MS, signal);
  }
}

/** Takes a member out, unless the rest could not decide anything any more. */
export async function removeMember(
  members: EtcdMembers,
  id: bigint,
  { force, beforeRemoval }: { readonly force: boolean; readonly beforeRemoval?: () => void },
): Promise<void> {
  const known = await members.list();
  const leaving = known.find((member) => member.id === id);
  if (leaving === undefined) return;
  if (known.filter(({ isLearner }) => !isLearner).length === 1 && !leaving.isLearner)
    throw new EtcdFailed(
      'this is the last member of the store; "k8ts store move embedded" ends etcd, "k8ts delete" the cluster',
    );
  const rest = await voterHealth(
    members,
    known.filter((member) => member.id !== id),
  );
  if (!force && !leaving.isLearner) refuseAtRisk(rest, `${leaving.name} cannot leave now`);
  const status = await leaderOf(members, known);
  if (status?.leader === id) await handOver(members, known, id).catch(() => undefined);
  beforeRemoval?.();
  await members.remove(id);
}

async function leaderOf(
  members: EtcdMembers,
  known: readonly EtcdMember[],
): Promise<{ readonly leader: bigint } | undefined> {
  for (const { clientUrls } of known)
    for (const url of clientUrls) {
      const status = await members.statusOf(url).catch(() => undefined);
      if (status && status.leader !== 0n) return status;
    }
  return undefined;
}

/** A leader that leaves makes another one first: nobody waits for an election. */
async function handOver(members: EtcdMembers, known: readonly EtcdMember[], id: bigint): Promise<void> {
  const leader = known.find((member) => member.id === id);
  for (const { id: target, isLearner, clientUrls } of known) {
    if (target === id || isLearner) continue;
    if (!(await members.statusOf(clientUrls[0] ?? '').catch(() => undefined))) continue;
    return members.moveLeader(leader?.clientUrls[0] ?? '', target);
  }
}

interface VoterHealth {
  readonly voters: number;
  readonly healthy: number;
  /** Names and reasons. */
  readonly silent: readonly string[];
}

async function voterHealth(members: EtcdMembers, known: readonly EtcdMember[]): Promise<VoterHealth> {
  const voters = known.filter(({ isLearner }) => !isLearner);
  const checked = await Promise.all(
    voters.map(async ({ name, peerUrls, clientUrls }) => {
      try {
        const { leader } = await members.statusOf(clientUrls[0] ?? '');
        return leader === 0n ? `${name}: knows no leader` : undefined;
      } catch (error) {
        return `${name || peerUrls.join(',')}: ${errorMessage(error)}`;
      }
    }),
  );
  const silent = checked.filter((reason) => reason !== undefined);
  return { voters: voters.length, healthy: voters.length - silent.length, silent };
}

const quorumOf = (voters: number): number => Math.floor(voters / 2) + 1;

/** A cluster of which one more failure would stop all writes is not changed while a member is down. */
function refuseAtRisk({ voters, healthy, silent }: VoterHealth, what: string): void {
  if (silent.length === 0) return;
  if (healthy - 1 < quorumOf(voters))
    throw new EtcdFailed(
      `${what}: ${healthy} of ${voters} members of etcd are well, ${quorumOf(voters)} are needed, and none could be lost (${silent.join('; ')})`,
    );
}

const isAt = ({ peerUrls }: EtcdMember, peerUrl: string): boolean => peerUrls.includes(peerUrl);
