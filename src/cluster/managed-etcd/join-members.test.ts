import { describe, expect, it } from 'vitest';
import type { EtcdMember, EtcdMembers } from '../../etcd/index.ts';
import { createTestContext } from '../../kernel/index.ts';
import { addLearner, promote, removeMember } from './join-members.ts';

const ctx = createTestContext();

/** Members by name; those of `down` do not answer. */
function clusterOf(
  names: readonly string[],
  { down = [], learners = [], refusals = 0 }: Partial<Record<'down' | 'learners', string[]>> & { refusals?: number },
) {
  const done: string[] = [];
  let members: EtcdMember[] = names.map((name, index) => ({
    id: BigInt(index + 1),
    name,
    peerUrls: [`https://${name}:2380`],
    clientUrls: [`https://${name}:2379`],
    isLearner: learners.includes(name),
  }));
  const fake = {
    list: () => Promise.resolve(members),
    statusOf: (endpoint: string) => {
      const name = new URL(endpoint).hostname;
      return down.includes(name)
        ? Promise.reject(new Error('no answer'))
        : Promise.resolve({ leader: 1n, memberId: members.find((member) => member.name === name)!.id });
    },
    addLearner: (peerUrl: string) => {
      if (refusals-- > 0) return Promise.resolve(undefined);
      const member = { id: 99n, name: '', peerUrls: [peerUrl], clientUrls: [], isLearner: true };
      members = [...members, member];
      done.push(`add ${peerUrl}`);
      return Promise.resolve({ member, members });
    },
    promote: (id: bigint) => {
      done.push(`promote ${id}`);
      members = members.map((member) => (member.id === id ? { ...member, isLearner: false } : member));
      return Promise.resolve(true);
    },
    remove: (id: bigint) => {
      done.push(`remove ${id}`);
      members = members.filter((member) => member.id !== id);
      return Promise.resolve();
    },
    moveLeader: (endpoint: string, target: bigint) => {
      done.push(`move ${endpoint} ${target}`);
      return Promise.resolve();
    },
  };
  return { members: fake as unknown as EtcdMembers, done };
}

const NEW = { name: 'd', peerUrl: 'https://d:2380' };

describe('a new member', () => {
  it('is a learner first, and gets its vote afterwards', async () => {
    const { members, done } = clusterOf(['a', 'b', 'c'], {});
    expect(await addLearner(ctx, members, NEW)).toEqual({
      state: 'existing',
      members: 'a=https://a:2380,b=https://b:2380,c=https://c:2380,d=https://d:2380',
    });
    await promote(ctx, members, NEW.peerUrl);
    expect(done).toEqual(['add https://d:2380', 'promote 99']);
  });

  it('waits while another has only just joined', async () => {
    const { members, done } = clusterOf(['a', 'b'], { refusals: 3 });
    const context = createTestContext();
    const adding = addLearner(context, members, NEW);
    await context.clock.advance(5000);
    await expect(adding).resolves.toMatchObject({ state: 'existing' });
    expect(done).toEqual(['add https://d:2380']);
  });

  it('gives up when the others are not connected for minutes', async () => {
    const { members } = clusterOf(['a', 'b'], { refusals: 1_000_000 });
    const context = createTestContext();
    const failed = expect(addLearner(context, members, NEW)).rejects.toThrow('have not been connected to each other');
    await context.clock.advance(200_000);
    await failed;
  });

  it('is refused while the others could lose none', async () => {
    const { members, done } = clusterOf(['a', 'b', 'c'], { down: ['c'] });
    await expect(addLearner(ctx, members, NEW)).rejects.toThrow(
      'a member cannot be added now: 2 of 3 members of etcd are well, 2 are needed, and none could be lost (c: no answer)',
    );
    expect(done).toEqual([]);
  });

  it('is added to five of which one is down', async () => {
    const { members } = clusterOf(['a', 'b', 'c', 'e', 'f'], { down: ['c'] });
    await expect(addLearner(ctx, members, NEW)).resolves.toMatchObject({ state: 'existing' });
  });

  it('replaces what was left of an attempt before', async () => {
    const { members, done } = clusterOf(['a', 'd'], { learners: ['d'] });
    await addLearner(ctx, members, NEW);
    expect(done).toEqual(['remove 2', 'add https://d:2380']);
  });

  it('does not take the name of another machine', async () => {
    const { members } = clusterOf(['a', 'b'], {});
    await expect(addLearner(ctx, members, { name: 'b', peerUrl: 'https://x:2380' })).rejects.toThrow(
      'https://b:2380 is a member of the name b',
    );
  });
});

describe('a member that leaves', () => {
  it('hands over first when it leads', async () => {
    const { members, done } = clusterOf(['a', 'b', 'c'], {});
    await removeMember(members, 1n, { force: false });
    expect(done).toEqual(['move https://a:2379 2', 'remove 1']);
  });

  it('may be dead', async () => {
    const { members, done } = clusterOf(['a', 'b', 'c'], { down: ['c'] });
    await removeMember(members, 3n, { force: false });
    expect(done).toEqual(['remove 3']);
  });

  it('stays when the rest could decide nothing', async () => {
    const { members, done } = clusterOf(['a', 'b', 'c'], { down: ['c'] });
    await expect(removeMember(members, 2n, { force: false })).rejects.toThrow('b cannot leave now: 1 of 2 members');
    expect(done).toEqual([]);
  });

  it('is not the last', async () => {
    const { members } = clusterOf(['a', 'd'], { learners: ['d'] });
    await expect(removeMember(members, 1n, { force: true })).rejects.toThrow('this is the last member of the store');
  });
});
