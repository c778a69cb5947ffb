/** Results of YAML that a worker thread has parsed, for the decoding of the same text in this thread. */
/** `refusal`: the message of the StatusError. */
export type CachedYaml = YamlAsJson | { readonly refusal: string };

export interface YamlAsJson {
  readonly json: string;
  /** Upstream's error for duplicate keys, one for all of them. */
  readonly duplicateKeys: string | undefined;
}

const cache = new Map<string, CachedYaml>();
/** A result is read once, by the request that waits for it, so a few entries are enough. */
const MAX_TEXTS = 16;

export function cacheYaml(text: string, result: CachedYaml): void {
  cache.delete(text);
  cache.set(text, result);
  if (cache.size > MAX_TEXTS) cache.delete(cache.keys().next().value!);
}

export const cachedYaml = (text: string): CachedYaml | undefined => (cache.size === 0 ? undefined : cache.get(text));
