/** Starts this machine's member of etcd, and keeps it and what depends on it going. */
import fs from 'node:fs';
import path from 'node:path';
import { openEtcdPki, renewEtcdCertificates, type EtcdCertificateName } from '../../apiserver/index.ts';
import { errorMessage } from '../../base/index.ts';
import { EtcdMembers, type EtcdStore, type EtcdTls } from '../../etcd/index.ts';
import { childContext, makeDirectoryDurably, RunGroup, type Context } from '../../kernel/index.ts';
import {
  etcdArguments,
  memberDirectoryOf,
  memberUrls,
  snapshotDirectoryOf,
  type InitialCluster,
  type ManagedEtcdOptions,
} from './etcd-options.ts';
import { etcdStatus, type EtcdStatus } from './etcd-status.ts';
import { addLearner, promote, removeMember } from './join-members.ts';
import { findEtcd } from './programs.ts';
import { EtcdFailed, runEtcd } from './run-etcd.ts';
import { runScheduledSnapshots } from './scheduled-snapshots.ts';

export interface ManagedEtcd {
  readonly dataDirectory: string;
  readonly options: ManagedEtcdOptions;
  /** This machine's member first. */
  readonly endpoints: readonly string[];
  readonly tls: EtcdTls;
  /** PEM, by name: those with which the member started, or that were renewed since. */
  readonly certificates: Readonly<Record<EtcdCertificateName, string>>;
  /** New connections use the new certificates. */
  renewCertificates(names: readonly EtcdCertificateName[]): Promise<void>;
  /** The process; undefined while there is none. */
  readonly pid: number | undefined;
  /** Tells the store about members that come and go, and takes snapshots of it. */
  serve(store: EtcdStore): void;
  status(): Promise<EtcdStatus>;
  /** By name or id. */
  removeMember(name: string, options: { readonly force: boolean }): Promise<void>;
  /** Takes this machine out of the members; the store goes on at the others. */
  leave(): Promise<void>;
  /** Rejects when the member cannot go on; never resolves. */
  readonly failed: Promise<never>;
  /** Ends the member; its data stays. */
  stop(): Promise<void>;
}

const POLL_MS = 100;
const MEMBERS_MS = 5000;

/** Resolves when the member answers and has a vote. It runs until it is stopped, even after the context ends. */
export async function startManagedEtcd(
  parent: Context,
  dataDirectory: string,
  options: ManagedEtcdOptions,
): Promise<ManagedEtcd> {
  const binary = findEtcd(options.binary);
  const group = new RunGroup({ logger: parent.logger });
  const ctx = childContext(parent, 'etcd', group.signal);
  const urls = memberUrls(options);
  const pki = await openEtcdPki(parent, path.join(dataDirectory, 'pki'), {
    dnsNames: [...new Set([options.memberName, 'localhost'])],
    addresses: [...new Set(['127.0.0.1', '::1', options.address])],
  });
  const { 'apiserver-etcd-client': client } = pki.certificates;
  const tls: EtcdTls = {
    ca: Buffer.from(pki.ca.certificate),
    cert: Buffer.from(client.certificate),
    key: Buffer.from(client.key),
  };
  const certificates: Record<EtcdCertificateName, string> = {
    'apiserver-etcd-client': client.certificate,
    'etcd-server': pki.certificates['etcd-server'].certificate,
    'etcd-peer': pki.certificates['etcd-peer'].certificate,
  };
  const directory = memberDirectoryOf(dataDirectory);
  const hasData = fs.existsSync(path.join(directory, 'member', 'wal'));
  const joining = options.join && !hasData ? options.join : undefined;
  const known = options.join ?? [];
  const members = new EtcdMembers({ endpoints: [urls.local, ...known], tls, clock: parent.clock });
  const initial = joining
    ? await joinFirst(parent, { options, tls, endpoints: joining })
    : { state: 'new' as const, members: `${options.memberName}=${urls.peer}` };
  makeDirectoryDurably(directory, 0o700);
  const state: { pid: number | undefined; answered: boolean; leaving: boolean; store?: EtcdStore } = {
    pid: undefined,
    answered: false,
    leaving: false,
  };
  group.start('etcd', () =>
    runEtcd(ctx, {
      binary,
      parameters: etcdArguments(dataDirectory, options, pki, initial),
      pidFile: path.join(dataDirectory, 'etcd.pid'),
      hasAnswered: () => state.answered,
      isLeaving: () => state.leaving,
      onPid: (pid) => (state.pid = pid),
    }),
  );
  const ended = group.wait();
  const failed = ended.then(() => new Promise<never>(() => undefined));
  failed.catch(() => undefined);
  const stop = async (): Promise<void> => {
    group.stop(new Error('etcd was stopped'));
    members.close();
    await ended.catch(() => undefined);
  };
  try {
    await Promise.race([untilMember(parent, members, { urls, onAnswer: () => (state.answered = true) }), failed]);
    // A learner knows its state and does nothing for clients: the next endpoint is asked then.
    await Promise.race([promote(parent, members, urls.peer), failed]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    dataDirectory,
    options,
    endpoints: [urls.local, ...known],
    tls,
    certificates,
    renewCertificates: async (names) => {
      const renewed = await renewEtcdCertificates(parent, path.join(dataDirectory, 'pki'), names);
      for (const name of names) certificates[name] = renewed[name]!.certificate;
      const { 'apiserver-etcd-client': own } = renewed;
      if (own) Object.assign(tls, { cert: Buffer.from(own.certificate), key: Buffer.from(own.key) });
    },
    get pid() {
      return state.pid;
    },
    serve: (store) => {
      state.store = store;
      group.start('members', () => followMembers(ctx, { members, store, urls, isLeaving: () => state.leaving }));
      const { snapshots } = options;
      if (snapshots)
        group.start('snapshots', () =>
          runScheduledSnapshots(ctx, store, { ...snapshots, directory: snapshotDirectoryOf(dataDirectory) }),
        );
    },
    status: () => etcdStatus(members),
    removeMember: (name, force) => removeNamed(members, name, force),
    leave: async () => {
      const known = await members.list();
      const own = known.find(({ peerUrls }) => peerUrls.includes(urls.peer));
      if (!own) return;
      await removeMember(members, own.id, {
        force: false,
        // From here on the member may refuse what it is asked.
        beforeRemoval: () => {
          state.leaving = true;
          state.store?.updateEndpoints(known.filter(({ id }) => id !== own.id).flatMap(({ clientUrls }) => clientUrls));
        },
      });
    },
    failed,
    stop,
  };
}

async function removeNamed(members: EtcdMembers, name: string, options: { readonly force: boolean }): Promise<void> {
  const known = await members.list();
  const member = known.find((one) => one.name === name || one.id.toString(16) === name);
  if (!member) throw new EtcdFailed(`etcd has no member ${name}; it has ${known.map((one) => one.name).join(', ')}`);
  await removeMember(members, member.id, options);
}

async function joinFirst(
  ctx: Context,
  { options, tls, endpoints }: { options: ManagedEtcdOptions; tls: EtcdTls; endpoints: readonly string[] },
): Promise<InitialCluster> {
  const members = new EtcdMembers({ endpoints, tls, clock: ctx.clock });
  try {
    return await addLearner(ctx, members, { name: options.memberName, peerUrl: memberUrls(options).peer });
  } finally {
    members.close();
  }
}

interface Waiting {
  readonly urls: ReturnType<typeof memberUrls>;
  readonly onAnswer: () => void;
}

/** Waits until this machine's member answers and knows a leader. */
async function untilMember(
  { clock, signal }: Context,
  members: EtcdMembers,
  { urls, onAnswer }: Waiting,
): Promise<void> {
  for (let problem = 'it does not answer'; ;) {
    try {
      const { leader } = await members.statusOf(urls.local);
      onAnswer();
      if (leader !== 0n) return;
      problem = 'it finds no leader: are the machines of the other members up?';
    } catch (error) {
      problem = errorMessage(error);
    }
    await clock.sleep(POLL_MS, signal).catch((error: unknown) => {
      throw new EtcdFailed(`etcd on this machine is not ready: ${problem}`, { cause: error });
    });
  }
}

/** The store calls this machine's member, and the others when it does not answer. */
async function followMembers(
  { clock, signal, logger }: Context,
  {
    members,
    store,
    urls,
    isLeaving,
  }: {
    members: EtcdMembers;
    store: EtcdStore;
    urls: ReturnType<typeof memberUrls>;
    isLeaving: () => boolean;
  },
): Promise<void> {
  let before = '';
  while (!signal.aborted) {
    const known = await members.list().catch(() => undefined);
    const others = (known ?? [])
      .filter(({ isLearner }) => !isLearner)
      .flatMap(({ clientUrls }) => clientUrls)
      .filter((url) => url !== urls.client);
    if (known && !isLeaving() && others.join() !== before) {
      logger.info('The members of etcd', { endpoints: [urls.local, ...others].join(',') });
      store.updateEndpoints([urls.local, ...others]);
      before = others.join();
    }
    await clock.sleep(MEMBERS_MS, signal).catch(() => undefined);
  }
}
