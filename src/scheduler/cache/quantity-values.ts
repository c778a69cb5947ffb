import { parseQuantity } from '../../base/index.ts';

const milli = new Map<string, number>();
const whole = new Map<string, number>();

/** Clusters use few different quantities; each is worked out once. */
const LIMIT = 10_000;

function remembered(memory: Map<string, number>, text: string, scale: number): number {
  const known = memory.get(text);
  if (known !== undefined) return known;
  if (memory.size >= LIMIT) memory.clear();
  const value = Number(parseQuantity(String(text)).scaledValue(scale));
  memory.set(text, value);
  return value;
}

/** In thousandths, rounded up, as cpu is counted. */
export const milliValue = (text: string): number => remembered(milli, text, -3);

/** In whole units, rounded up, as everything else is counted. */
export const wholeValue = (text: string): number => remembered(whole, text, 0);

export const resourceValue = (name: string, text: string): number =>
  name === 'cpu' ? milliValue(text) : wholeValue(text);
