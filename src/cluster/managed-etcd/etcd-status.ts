/** How the members of etcd are, for `k8ts status`. */
import { errorMessage } from '../../base/index.ts';
import type { EtcdMember, EtcdMembers } from '../../etcd/index.ts';

export interface EtcdStatus {
  readonly members: readonly EtcdMemberStatus[];
  /** Why the members could not be listed. */
  readonly problem?: string;
}

interface EtcdMemberStatus {
  readonly name: string;
  /** In hexadecimal digits, as etcdctl prints it. */
  readonly id: string;
  readonly endpoint: string;
  readonly role: 'leader' | 'follower' | 'learner';
  readonly healthy: boolean;
  readonly problem?: string;
  readonly version?: string;
  readonly dbSize?: number;
}

export async function etcdStatus(members: EtcdMembers): Promise<EtcdStatus> {
  try {
    const known = await members.list();
    return { members: await Promise.all(known.map((member) => memberStatus(members, member))) };
  } catch (error) {
    return { members: [], problem: errorMessage(error) };
  }
}

async function memberStatus(members: EtcdMembers, member: EtcdMember): Promise<EtcdMemberStatus> {
  const [endpoint = ''] = member.clientUrls;
  const identity = {
    name: member.name || member.peerUrls.join(','),
    id: member.id.toString(16),
    endpoint,
    role: member.isLearner ? ('learner' as const) : ('follower' as const),
  };
  if (endpoint === '') return { ...identity, healthy: false, problem: 'it has not started yet' };
  try {
    const { leader, memberId, version, dbSize, errors } = await members.statusOf(endpoint);
    const problem = leader === 0n ? 'it knows no leader' : errors.join('; ');
    return {
      ...identity,
      role: member.isLearner ? 'learner' : leader === memberId ? 'leader' : 'follower',
      healthy: problem === '',
      ...(problem === '' ? {} : { problem }),
      version,
      dbSize,
    };
  } catch (error) {
    return { ...identity, healthy: false, problem: errorMessage(error) };
  }
}
