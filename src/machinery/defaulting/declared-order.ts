/** Restores the declared order of keys after defaulting. */
import { type Message, schema } from '../../api/index.ts';

const orders = new WeakMap<Message, ReadonlyMap<string, number>>();

/** The positions of a message's keys. */
function orderOf(message: Message): ReadonlyMap<string, number> {
  let order = orders.get(message);
  if (!order) {
    const names = message.fields.map((field) => field.name);
    order = new Map((message.object ? ['kind', 'apiVersion', ...names] : names).map((name, i) => [name, i]));
    orders.set(message, order);
  }
  return order;
}

/** The value with its keys in declared order and without undefined fields; itself if it is so already. */
export function inDeclaredOrder<T extends object>(message: Message, value: T): T {
  const order = orderOf(message);
  const draft = value as Record<string, unknown>;
  let last = -1;
  for (const key in draft) {
    const position = order.get(key)!;
    if (position < last || draft[key] === undefined) return reordered(order, draft) as T;
    last = position;
  }
  return value;
}

function reordered(order: ReadonlyMap<string, number>, draft: Record<string, unknown>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(draft).sort((a, b) => order.get(a)! - order.get(b)!)) {
    if (draft[key] !== undefined) result[key] = draft[key];
  }
  return result;
}

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** Like inDeclaredOrder, for functions that build a nested message. */
export const inOrderOf = <T extends object>(fullName: string, value: T): T =>
  inDeclaredOrder(schema.message(fullName), value);

export const withLabels = <T extends { labels?: Record<string, string> }>(
  metadata: T | undefined,
  labels: Record<string, string>,
): T => inOrderOf(OBJECT_META, { ...metadata, labels } as T);
