/** Applies defaults to an object: compiles the defaults of each message once and runs them. */
import { storedSchema, type Field, type GroupVersionKind, type Message, type Type } from '../../api/index.ts';
import type { KubeObject } from '../index.ts';
import { inDeclaredOrder } from './declared-order.ts';
import type { DefaultingContext, MessageDefaults } from './message-defaults.ts';
import { messageDefaults } from './registry.ts';

/**
 * Returns the object with its defaults. Does not change the original; unchanged parts are shared. Keys stay in
 * declared order.
 */
export function applyDefaults(gvk: GroupVersionKind, object: KubeObject, context: DefaultingContext = {}): KubeObject {
  const message = storedSchema.kind(gvk);
  return message ? (defaultMessage(message, object, context) as KubeObject) : object;
}

/** Like applyDefaults, for a message that is part of an object. */
function defaultMessage(
  message: Message,
  value: Record<string, unknown>,
  context: DefaultingContext = {},
): Record<string, unknown> {
  const plan = planOf(message);
  return plan ? runPlan(plan, value, context) : value;
}

type DefaultValue = (value: unknown, context: DefaultingContext) => unknown;

interface DefaultingPlan {
  readonly own: MessageDefaults | undefined;
  readonly names: string[];
  /** The defaults of the fields in `names`. */
  readonly values: (string | number | boolean)[];
  /** Whether zero counts as absent, for the fields in `names`. */
  readonly zeroIsAbsent: boolean[];
  readonly nested: { readonly name: string; readonly apply: DefaultValue }[];
  readonly message: Message;
}

/** Undefined for messages without defaults at any depth. */
const plans = new Map<Message, DefaultingPlan | undefined>();

function planOf(message: Message): DefaultingPlan | undefined {
  if (plans.has(message)) return plans.get(message);
  const plan: DefaultingPlan = {
    own: messageDefaults[message.fullName],
    names: [],
    values: [],
    zeroIsAbsent: [],
    nested: [],
    message,
  };
  // Stored before the fields are compiled: a message may contain itself.
  plans.set(message, plan);
  for (const field of message.fields) addField(plan, field);
  if (!hasDefaults(message, new Set())) plans.set(message, undefined);
  return plans.get(message);
}

function addField(plan: DefaultingPlan, field: Field): void {
  if (field.default !== undefined) {
    plan.names.push(field.name);
    plan.values.push(field.default);
    plan.zeroIsAbsent.push(!field.pointer);
  }
  const apply = defaultType(field.type);
  if (apply) plan.nested.push({ name: field.name, apply });
}

function hasDefaults(type: Type, seen: Set<Type>): boolean {
  if (seen.has(type)) return false;
  seen.add(type);
  switch (type.kind) {
    case 'message':
      return (
        messageDefaults[type.fullName] !== undefined ||
        type.fields.some((f) => f.default !== undefined || hasDefaults(f.type, seen))
      );
    case 'list':
      return hasDefaults(type.element, seen);
    case 'map':
      return hasDefaults(type.value, seen);
    default:
      return false;
  }
}

function defaultType(type: Type): DefaultValue | undefined {
  if (!hasDefaults(type, new Set())) return undefined;
  if (type.kind === 'message') {
    let plan: DefaultingPlan | undefined;
    return (value, context) => runPlan((plan ??= planOf(type)!), value as Record<string, unknown>, context);
  }
  const element =
    type.kind === 'list' ? defaultType(type.element) : type.kind === 'map' ? defaultType(type.value) : undefined;
  if (!element) return undefined;
  return type.kind === 'list'
    ? (value, context) => defaultList(element, value as unknown[], context)
    : (value, context) => defaultMap(element, value as Record<string, unknown>, context);
}

function defaultList(element: DefaultValue, list: unknown[], context: DefaultingContext): unknown[] {
  let draft = list;
  for (let i = 0; i < list.length; i++) {
    const result = element(list[i], context);
    if (result === list[i]) continue;
    if (draft === list) draft = [...list];
    draft[i] = result;
  }
  return draft;
}

function defaultMap(
  element: DefaultValue,
  map: Record<string, unknown>,
  context: DefaultingContext,
): Record<string, unknown> {
  const entries = Object.entries(map).map(([key, value]): [string, unknown] => [key, element(value, context)]);
  return entries.every(([key, result]) => result === map[key]) ? map : Object.fromEntries(entries);
}

/**
 * As upstream, applies a message's own defaults first, then those of its fields. Copies only what changes. Restores
 * the order of keys, because the defaults of an enclosing message may have built this one.
 */
function runPlan(
  plan: DefaultingPlan,
  value: Record<string, unknown>,
  context: DefaultingContext,
): Record<string, unknown> {
  let draft = value;
  const { names, values, zeroIsAbsent, own, nested } = plan;
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    const given = draft[name];
    if (given !== undefined && given !== null && !(zeroIsAbsent[i]! && isZero(given))) continue;
    if (draft === value) draft = { ...value };
    draft[name] = values[i]!;
    context.growth?.add(name.length + BYTES_OF_VALUE);
  }
  if (own) {
    const changes = own(draft, context);
    if (changes) {
      draft = { ...draft, ...changes };
      if (context.growth) for (const name in changes) context.growth.add(name.length + BYTES_OF_VALUE);
    }
  }
  for (let i = 0; i < nested.length; i++) {
    const { name, apply } = nested[i]!;
    const inner = draft[name];
    if (inner === undefined || inner === null || inner === context.alreadyDefaulted) continue;
    const result = apply(inner, context);
    if (result === inner) continue;
    if (draft === value) draft = { ...value };
    draft[name] = result;
  }
  return inDeclaredOrder(plan.message, draft);
}

/** The length of a default, with its quotes and colon, on average. */
const BYTES_OF_VALUE = 12;

const isZero = (value: unknown): boolean => value === '' || value === 0 || value === false;
