/** The configuration of eviction rates. */
export interface EvictionRates {
  /** `--node-eviction-rate`: nodes per second in a healthy zone. */
  readonly primary: number;
  /** `--secondary-node-eviction-rate`: nodes per second in an unhealthy zone. */
  readonly secondary: number;
  /** `--large-cluster-size-threshold`: unhealthy zones up to this size have the rate 0. */
  readonly largeClusterSize: number;
  /** `--unhealthy-zone-threshold`: the fraction of nodes that are not ready in an unhealthy zone. */
  readonly unhealthyThreshold: number;
}
