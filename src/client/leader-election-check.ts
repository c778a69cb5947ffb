/** The health check of a component that elects a leader: a leader that cannot renew its lease must be restarted. */
import type { LeaderElector } from './leader-election.ts';

const TIMEOUT_MS = 20_000;

export class LeaderElectionCheck {
  readonly name = 'leaderElection';
  #elector: LeaderElector | undefined;

  observe(elector: LeaderElector): void {
    this.#elector = elector;
  }

  /** The problem, if there is one. */
  readonly check = (): string | undefined => {
    const elector = this.#elector;
    if (elector === undefined || !elector.isLeader || elector.millisecondsSinceExpiry <= TIMEOUT_MS) return undefined;
    return `failed election to renew leadership on lease ${elector.lock.split('/')[1]}`;
  };
}
