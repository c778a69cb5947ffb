/** The health check of a component that elects a leader: a leader that cannot renew its lease must be restarted. */
const TIMEOUT_MS = 20_000;

interface ObservedElector {
  readonly lock: string;
  readonly isLeader: boolean;
  readonly millisecondsSinceExpiry: number;
}

export class LeaderElectionCheck {
  readonly name = 'leaderElection';
  #elector: ObservedElector | undefined;

  observe(elector: ObservedElector): void {
    this.#elector = elector;
  }

  /** The problem, if there is one. */
  readonly check = (): string | undefined => {
    const elector = this.#elector;
    if (elector === undefined || !elector.isLeader || elector.millisecondsSinceExpiry <= TIMEOUT_MS) return undefined;
    return `failed election to renew leadership on lease ${elector.lock.split('/')[1]}`;
  };
}
