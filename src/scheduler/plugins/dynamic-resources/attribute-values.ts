/** What devices are compared by in matchAttribute and distinctAttribute: an attribute is the set of its values, mostly of one. */
import type { DeviceAttribute } from '../../../api/generated/resource-v1.ts';
import { splitName } from './device-value.ts';
import type { PoolDevice } from './pools.ts';

/** Values of different types differ: the version 1.0.0 is not the string 1.0.0. */
type ValueSet = ReadonlySet<string>;

/** Undefined when the device does not have the attribute. */
export function attributeValues({ driver, device }: PoolDevice, name: string): ValueSet | undefined {
  const wanted = splitName(driver, name).join('/');
  for (const [key, attribute] of Object.entries(device.attributes ?? {}))
    if (splitName(driver, key).join('/') === wanted) return valuesOf(attribute);
  return undefined;
}

function valuesOf({ ints, bools, strings, versions, int, bool, string, version }: DeviceAttribute): ValueSet {
  const named = { int: ints ?? int, bool: bools ?? bool, string: strings ?? string, version: versions ?? version };
  return new Set(
    Object.entries(named).flatMap(([type, values]) =>
      (Array.isArray(values) ? values : [values])
        .filter((value) => value !== undefined)
        .map((value) => `${type}:${value}`),
    ),
  );
}

/** Whether there is a value that all sets have. */
export function haveCommonValue([first, ...others]: readonly ValueSet[]): boolean {
  for (const value of first ?? []) if (others.every((other) => other.has(value))) return true;
  return false;
}
