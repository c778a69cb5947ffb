const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((word) => [word, false] as const),
]);

/** What Go's `strconv.ParseBool` reads: flags, feature gates and annotations have such values. Undefined for other texts. */
export const parseGoBool = (text: string): boolean | undefined => WORDS.get(text);

/** What Go says of a text that is none. */
export const goBoolError = (text: string): string =>
  `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`;
