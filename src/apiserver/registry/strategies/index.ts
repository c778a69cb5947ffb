/** The strategies of the built-in kinds, by `group/plural`; a kind without one has nothing particular about it. */
import type { Strategy } from '../strategy.ts';

export const strategies: Record<string, Strategy | undefined> = {};
