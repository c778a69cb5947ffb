/**
 * Freezes a JSON value through and through. What is frozen already is taken to be frozen all the way: objects that the
 * server shares with us cost nothing.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const key in value) deepFreeze(value[key]);
  return Object.freeze(value);
}
