/** Of latencies, which are sorted in place. */
export function percentiles(values: number[]): { p50Ms: number; p99Ms: number } {
  values.sort((a, b) => a - b);
  const at = (share: number): number => values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
