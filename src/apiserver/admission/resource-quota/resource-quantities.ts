/** Arithmetic on quantities by resource name, as quotas need it. */
import { parseQuantity, type Quantity } from '../../../base/index.ts';

export type Quantities = ReadonlyMap<string, Quantity>;

export function quantitiesIn(list: Readonly<Record<string, string>> | undefined): Quantities {
  const quantities = new Map<string, Quantity>();
  for (const name in list) quantities.set(name, parseQuantity(list[name]!));
  return quantities;
}

export const resourceListOf = (quantities: Quantities): Record<string, string> =>
  Object.fromEntries([...quantities].map(([name, quantity]) => [name, quantity.toString()]));

/** Keeps only the resources in `names`. */
export const mask = (quantities: Quantities, names: { has(name: string): boolean }): Quantities =>
  new Map([...quantities].filter(([name]) => names.has(name)));

export function add(a: Quantities, b: Quantities): Quantities {
  const sum = new Map(a);
  for (const [name, quantity] of b) sum.set(name, sum.get(name)?.add(quantity) ?? quantity);
  return sum;
}

/** The resources that `now` has more of than `before`. */
export function subtractNonNegative(now: Quantities, before: Quantities): Quantities {
  const difference = new Map<string, Quantity>();
  for (const [name, quantity] of now) {
    const more = before.has(name) ? quantity.sub(before.get(name)!) : quantity;
    if (more.sign() > 0) difference.set(name, more);
  }
  return difference;
}

export const removeZeros = (quantities: Quantities): Quantities =>
  new Map([...quantities].filter(([, quantity]) => !quantity.isZero()));

export function equalQuantities(a: Quantities, b: Quantities): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [name, quantity] of a) if (!b.get(name)?.equals(quantity)) return false;
  return true;
}

/** `cpu=1,memory=2Gi` */
export const quantitiesText = (quantities: Quantities): string =>
  [...quantities.keys()]
    .sort()
    .map((name) => `${name}=${quantities.get(name)!.toString()}`)
    .join(',');
