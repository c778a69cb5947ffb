/** How fast nodes that are not ready may be drained, as the configuration says. */
export interface EvictionRates {
  /** Nodes a second while a zone is well. */
  readonly primary: number;
  /** And while it is partly away. */
  readonly secondary: number;
  /** Zones up to this size are left alone while they are partly away. */
  readonly largeClusterSize: number;
  /** The part of a zone's nodes that must be away for it to count as partly away. */
  readonly unhealthyThreshold: number;
}
