import { MAX_NODE_SCORE } from '../framework/plugin.ts';

/** NormalizeScore of several plugins: scales the highest score to 100, or to 0 with `reverse`, rounded down. */
export function normalizeByMaximum(scores: Float64Array, count: number, reverse: boolean): void {
  let max = 0;
  for (let i = 0; i < count; i++) if (scores[i]! > max) max = scores[i]!;
  if (max === 0) {
    if (reverse) scores.fill(MAX_NODE_SCORE, 0, count);
    return;
  }
  for (let i = 0; i < count; i++) {
    const scaled = Math.floor((MAX_NODE_SCORE * scores[i]!) / max);
    scores[i] = reverse ? MAX_NODE_SCORE - scaled : scaled;
  }
}
