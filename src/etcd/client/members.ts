/** The members of an etcd cluster: who they are, how each of them is, and how they change. */
import type { Clock } from '../../kernel/index.ts';
import { StoreError } from '../store.ts';
import { CallError } from './call-error.ts';
import { calls } from './calls.ts';
import { Channel, type EtcdTls } from './channel.ts';
import { Endpoints, storeErrorOf } from './endpoints.ts';

export interface EtcdMember {
  readonly id: bigint;
  /** Empty until it has started for the first time. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  /** Empty until it has started for the first time. */
  readonly clientUrls: readonly string[];
  /** It gets the data and has no vote. */
  readonly isLearner: boolean;
}

export interface MemberStatus {
  readonly version: string;
  readonly memberId: bigint;
  /** 0n: it knows no leader. */
  readonly leader: bigint;
  readonly dbSize: number;
  readonly revision: number;
  readonly raftIndex: bigint;
  readonly errors: readonly string[];
}

interface EtcdMembersOptions {
  readonly endpoints: readonly string[];
  readonly tls?: EtcdTls;
  readonly clock: Clock;
  /** Of each attempt. Default 2 s. */
  readonly requestTimeoutMs?: number;
  /** How long reading is tried on one member after the other. Default 5 s. */
  readonly retryForMs?: number;
}

/** Changes are not repeated: a change that was not answered may have happened. */
const CHANGE = { idempotent: false, timeoutMs: 10_000 };

export class EtcdMembers {
  readonly #options: EtcdMembersOptions;
  readonly #endpoints: Endpoints;

  constructor(options: EtcdMembersOptions) {
    this.#options = options;
    this.#endpoints = new Endpoints({ requestTimeoutMs: 2000, retryForMs: 5000, ...options });
  }

  async list(): Promise<EtcdMember[]> {
    const { members } = await this.#endpoints.unary(calls.memberList, {}, { idempotent: true });
    return members;
  }

  /**
   * Resolves to the new member and all members; to undefined while a member has been connected to the others for less than
   * five seconds, as one that has just joined: etcd adds none meanwhile. It refuses a second learner.
   */
  async addLearner(peerUrl: string): Promise<{ member: EtcdMember; members: EtcdMember[] } | undefined> {
    const request = { peerUrls: [peerUrl], isLearner: true };
    try {
      const { member, members } = await this.#endpoints.unary(calls.memberAdd, request, CHANGE);
      if (member === undefined) throw new StoreError('unavailable', 'etcd did not name the new member');
      return { member, members };
    } catch (error) {
      if (error instanceof StoreError && error.message.includes('unhealthy cluster')) return undefined;
      throw error;
    }
  }

  /** False while the learner has not caught up. */
  async promote(id: bigint): Promise<boolean> {
    try {
      await this.#endpoints.unary(calls.memberPromote, { id }, CHANGE);
      return true;
    } catch (error) {
      if (error instanceof StoreError && error.message.includes('is in sync with leader')) return false;
      throw error;
    }
  }

  async remove(id: bigint): Promise<void> {
    await this.#endpoints.unary(calls.memberRemove, { id }, CHANGE);
  }

  /** Of one member; fails when it does not answer. */
  statusOf(endpoint: string, timeoutMs = this.#options.requestTimeoutMs ?? 2000): Promise<MemberStatus> {
    return this.#askOne(endpoint, async (channel) => {
      const status = await this.#endpoints.attempt(channel, calls.status, {}, timeoutMs);
      return {
        version: status.version,
        memberId: status.header?.memberId ?? 0n,
        leader: status.leader,
        dbSize: status.dbSize,
        revision: status.header?.revision ?? 0,
        raftIndex: status.raftIndex,
        errors: status.errors,
      };
    });
  }

  /** Asks the leader, which is at `endpoint`, to hand over. */
  async moveLeader(endpoint: string, targetId: bigint): Promise<void> {
    await this.#askOne(endpoint, (channel) =>
      this.#endpoints.attempt(channel, calls.moveLeader, { targetId }, CHANGE.timeoutMs),
    );
  }

  close(): void {
    this.#endpoints.close();
  }

  async #askOne<T>(endpoint: string, ask: (channel: Channel) => Promise<T>): Promise<T> {
    const { tls, clock } = this.#options;
    const channel = new Channel({ endpoint, tls, clock });
    try {
      return await ask(channel);
    } catch (error) {
      throw error instanceof CallError ? storeErrorOf(error) : error;
    } finally {
      channel.close();
    }
  }
}
