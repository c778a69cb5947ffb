export const ENDPOINTS = ['healthz', 'livez', 'readyz'] as const;

export interface HealthCheck {
  readonly name: string;
  /** Default: all three in the API server, /healthz in other components. /livez has only problems that a restart can solve. */
  readonly endpoints?: readonly (typeof ENDPOINTS)[number][];
  /** Returns the problem; undefined if healthy. */
  check(): Promise<string | undefined> | string | undefined;
}
