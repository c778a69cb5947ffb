/** Rounds resource amounts up to thousandths, the precision that upstream stores. */
import { parseQuantity, setOwn } from '../../base/index.ts';
import type { MessageDefaults } from './message-defaults.ts';

const MILLI = -3;
/** Matches quantities that may be finer than a thousandth. */
const MAYBE_FINER = /[nu.e]/;

/** Rounds the amounts of the fields up. */
export function roundResources(...fields: string[]): MessageDefaults {
  return (value) => {
    let changes: Record<string, unknown> | undefined;
    for (const field of fields) {
      const list = value[field] as Record<string, string> | null | undefined;
      const result = list && rounded(list);
      if (result !== list) (changes ??= {})[field] = result;
    }
    return changes;
  };
}

function rounded(list: Record<string, string>): Record<string, string> {
  let result = list;
  for (const name in list) {
    const text = list[name]!;
    if (!MAYBE_FINER.test(text)) continue;
    const amount = parseQuantity(text).roundUp(MILLI).toString();
    if (amount === text) continue;
    if (result === list) result = { ...list };
    setOwn(result, name, amount);
  }
  return result;
}
