/** A fault that a test has injected. */
export interface Fault {
  /** How many requests it has hit. */
  readonly hits: number;
  /** Removes it. */
  lift(): void;
}
