/**
 * Fields behind feature gates that are off: they are dropped from what a client sends, as if the API did not have them,
 * unless the stored object uses the feature already (then the gate was on once, and its users keep what they have).
 */
import type { Field, Message, Type } from '../../api/schema.ts';
import { featureEnabled } from '../../machinery/feature-gates.ts';
import { isRecord } from '../../machinery/object.ts';

export type FeatureOverrides = Readonly<Record<string, boolean>>;

/** Changes `object` in place. */
export function dropDisabledFields(message: Message, object: unknown, old: unknown, features: FeatureOverrides): void {
  if (!reachesGatedField(message)) return;
  const used = old === undefined ? undefined : gatesInUse(message, old, features);
  visitGatedFields(message, object, features, {
    gated: (holder, field) => {
      if (!used?.has(field.gate!)) delete holder[field.name];
    },
    left: (holder, field) => {
      if (isEmptyLifecycle(field, holder[field.name])) delete holder[field.name];
    },
  });
}

function gatesInUse(message: Message, object: unknown, features: FeatureOverrides): Set<string> {
  const used = new Set<string>();
  visitGatedFields(message, object, features, { gated: (_holder, field) => used.add(field.gate!) });
  return used;
}

type FieldVisit = (holder: Record<string, unknown>, field: Field) => void;

interface Visit {
  /** A field whose gate is off. */
  readonly gated: FieldVisit;
  /** Any field, once everything below it has been visited. */
  readonly left?: FieldVisit;
}

function visitGatedFields(type: Type, value: unknown, features: FeatureOverrides, visit: Visit): void {
  if (value === undefined || value === null || !reachesGatedField(type)) return;
  if (type.kind === 'list') {
    if (Array.isArray(value)) for (const element of value) visitGatedFields(type.element, element, features, visit);
  } else if (type.kind === 'map') {
    if (isRecord(value)) for (const element of Object.values(value)) visitGatedFields(type.value, element, features, visit);
  } else if (type.kind === 'message' && isRecord(value)) {
    for (const field of type.fields) {
      if (value[field.name] === undefined) continue;
      if (field.gate !== undefined && !featureEnabled(field.gate, features)) visit.gated(value, field);
      visitGatedFields(field.type, value[field.name], features, visit);
      visit.left?.(value, field);
    }
  }
}

/** A container's lifecycle that only said how to stop it says nothing without that. */
const isEmptyLifecycle = ({ type }: Field, value: unknown): boolean =>
  type.kind === 'message' && type.name === 'Lifecycle' && isRecord(value) && Object.keys(value).length === 0;

const reaches = new WeakMap<Message, boolean>();

/** Whether a field with a gate can stand anywhere below; most kinds have none and cost nothing. */
function reachesGatedField(type: Type): boolean {
  if (type.kind === 'list') return reachesGatedField(type.element);
  if (type.kind === 'map') return reachesGatedField(type.value);
  if (type.kind !== 'message') return false;
  const known = reaches.get(type);
  if (known !== undefined) return known;
  const found = searchGatedField(type, new Set());
  reaches.set(type, found);
  return found;
}

function searchGatedField(type: Type, seen: Set<Message>): boolean {
  if (type.kind === 'list') return searchGatedField(type.element, seen);
  if (type.kind === 'map') return searchGatedField(type.value, seen);
  if (type.kind !== 'message' || seen.has(type)) return false;
  seen.add(type);
  return type.fields.some((field) => field.gate !== undefined || searchGatedField(field.type, seen));
}
