/** Quantities as numbers, cached by their text. */
import { parseQuantity } from '../../base/index.ts';

const milli = new Map<string, number>();
const whole = new Map<string, number>();

/** Clusters use few different quantities, so each is parsed once. */
const MAX_ENTRIES = 10_000;

function cachedValue(cache: Map<string, number>, text: string, scale: number): number {
  const known = cache.get(text);
  if (known !== undefined) return known;
  if (cache.size >= MAX_ENTRIES) cache.clear();
  const value = Number(parseQuantity(String(text)).scaledValue(scale));
  cache.set(text, value);
  return value;
}

/** In thousandths, rounded up, as cpu is counted. */
const milliValue = (text: string): number => cachedValue(milli, text, -3);

/** In whole units, rounded up, as everything else is counted. */
export const wholeValue = (text: string): number => cachedValue(whole, text, 0);

export const resourceValue = (name: string, text: string): number =>
  name === 'cpu' ? milliValue(text) : wholeValue(text);
