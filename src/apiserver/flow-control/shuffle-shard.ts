/**
 * Which queues a flow may use: a hand of them, dealt by the flow's hash. Two flows rarely share a whole hand, so one that
 * floods its queues leaves the others a way through.
 */
import { createHash } from 'node:crypto';

/** Queue numbers, `handSize` of `deckSize`, the same for the same flow. */
export function dealHand(flow: string, deckSize: number, handSize: number): number[] {
  let entropy = createHash('sha256').update(flow).digest().readBigUInt64LE(0);
  const hand: number[] = [];
  for (let i = 0; i < Math.min(handSize, deckSize); i++) {
    const left = BigInt(deckSize - i);
    let card = Number(entropy % left);
    entropy /= left;
    // The card's number counts only the cards that are not dealt yet.
    for (const dealt of [...hand].sort((a, b) => a - b)) if (card >= dealt) card++;
    hand.push(card);
  }
  return hand;
}
