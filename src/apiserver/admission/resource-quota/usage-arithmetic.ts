/** Sums and comparisons of what is used, by name. */
import { parseQuantity, type Quantity } from '../../../base/index.ts';

export type Amounts = ReadonlyMap<string, Quantity>;

export function usageIn(list: Readonly<Record<string, string>> | undefined): Amounts {
  const amounts = new Map<string, Quantity>();
  for (const name in list) amounts.set(name, parseQuantity(list[name]!));
  return amounts;
}

export const resourceListOf = (amounts: Amounts): Record<string, string> =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, quantity.toString()]));

/** Only what `names` has. */
export const only = (amounts: Amounts, names: { has(name: string): boolean }): Amounts =>
  new Map([...amounts].filter(([name]) => names.has(name)));

export function plus(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a);
  for (const [name, quantity] of b) sum.set(name, sum.get(name)?.add(quantity) ?? quantity);
  return sum;
}

/** How much more `now` is than `before`: never less than nothing. */
export function growth(now: Amounts, before: Amounts): Amounts {
  const grown = new Map<string, Quantity>();
  for (const [name, quantity] of now) {
    const more = before.has(name) ? quantity.sub(before.get(name)!) : quantity;
    if (more.sign() > 0) grown.set(name, more);
  }
  return grown;
}

export const withoutZeros = (amounts: Amounts): Amounts =>
  new Map([...amounts].filter(([, quantity]) => !quantity.isZero()));

export function sameUsage(a: Amounts, b: Amounts): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [name, quantity] of a) if (!b.get(name)?.equals(quantity)) return false;
  return true;
}

/** `cpu=1,memory=2Gi` */
export const amountsText = (amounts: Amounts): string =>
  [...amounts.keys()]
    .sort()
    .map((name) => `${name}=${amounts.get(name)!.toString()}`)
    .join(',');
