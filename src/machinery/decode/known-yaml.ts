/** YAML that was read elsewhere, such as in a thread, for the decoding that asks for it next. */
export type KnownYaml = YamlAsJson | { readonly refusal: string };

export interface YamlAsJson {
  readonly json: string;
  /** Upstream's one error for all keys that are given more than once. */
  readonly duplicateKeys: string | undefined;
}

const known = new Map<string, KnownYaml>();
/** Of so many texts the results are kept: each is asked for by a request that is being served, and then no more. */
const KEPT = 16;

export function noteYaml(text: string, result: KnownYaml): void {
  known.delete(text);
  known.set(text, result);
  if (known.size > KEPT) known.delete(known.keys().next().value!);
}

export const knownYaml = (text: string): KnownYaml | undefined => (known.size === 0 ? undefined : known.get(text));
