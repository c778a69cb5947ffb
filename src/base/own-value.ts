/**
 * The value under a key that a client chose. Maps are plain objects, and a client may well ask for `constructor`, which
 * every object has without being given it.
 */
export const ownValue = <T>(map: Readonly<Record<string, T>> | null | undefined, key: string): T | undefined =>
  map && Object.hasOwn(map, key) ? map[key] : undefined;
