/** Checks a patch list against its `$setElementOrder` list. */
import { isRecord } from '../../base/index.ts';
import { PATCH, SET_ORDER } from './directive-names.ts';
import { identityOf, requireMergeKey } from './element-order.ts';
import { patchFailed, valueText, wrongType } from './patch-errors.ts';

/** Throws unless the patch's items, without those to delete, are in the order list in the same order. */
export function checkAgainstOrder(patch: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const items = mergeKey === '' ? patch : patch.filter((item) => !isDeleted(item));
  let i = 0;
  let o = 0;
  while (i < items.length && o < order.length) {
    if (carriesDirective(items[i])) {
      i++;
      continue;
    }
    if (mergeKey !== '') {
      requireMergeKey(items[i], mergeKey);
      requireMergeKey(order[o], mergeKey);
    }
    if (identityOf(items[i], mergeKey) === identityOf(order[o], mergeKey)) i++;
    o++;
  }
  if (i < items.length) {
    throw patchFailed(
      `The order in patch list:\n${valueText(patch)}\n doesn't match ${SET_ORDER} list:\n${valueText(order)}\n`,
    );
  }
}

function isDeleted(item: unknown): boolean {
  if (!isRecord(item)) throw wrongType('map', item);
  return item[PATCH] === 'delete';
}

const carriesDirective = (item: unknown): boolean => isRecord(item) && Object.hasOwn(item, PATCH);
