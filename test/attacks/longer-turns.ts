/**
 * Requests whose longest turn is above the limit, and why: none. One that has to be entered here takes time in proportion to its
 * size, and its bound watches over that.
 */
export interface LongerTurn {
  readonly milliseconds: number;
  readonly why: string;
}

export const LONGER_TURNS: ReadonlyMap<string, LongerTurn> = new Map<string, LongerTurn>();
