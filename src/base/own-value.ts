/**
 * The value of a key that a client chose. A plain object also has inherited keys such as `constructor`, which must
 * not be found.
 */
export const ownValue = <T>(map: Readonly<Record<string, T>> | null | undefined, key: string): T | undefined =>
  map && Object.hasOwn(map, key) ? map[key] : undefined;
