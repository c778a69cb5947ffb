/**
 * How candidates of a world compete for their Leases (`--leader-elect-…`). The pauses are longer than the defaults, because
 * renewals would be most of what a world does.
 */
export const ELECTION = { leaseDurationMs: 30_000, renewDeadlineMs: 20_000, retryPeriodMs: 9_000 };
