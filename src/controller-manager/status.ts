/** The status of objects: its conditions, and the zero values that the API leaves out. */

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

/** Drops counts that are 0, empty strings and empty lists, which the API leaves out. */
export function withoutZeros<T extends object>(fields: T): { [K in keyof T]?: T[K] } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isZero(value))) as { [K in keyof T]?: T[K] };
}

function isZero(value: unknown): boolean {
  return value === undefined || value === 0 || value === '' || (Array.isArray(value) && value.length === 0);
}

export const findCondition = <C extends { type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined => conditions?.find((c) => c.type === type);

export const withoutCondition = <C extends { type: string }>(conditions: readonly C[] | undefined, type: string): C[] =>
  (conditions ?? []).filter((c) => c.type !== type);
