/**
 * Fields behind disabled feature gates. They are dropped from what a client sends, unless the stored object uses the
 * feature already: then the gate was on once, and existing objects keep working.
 */
import type { Field, Message, Type } from '../../api/index.ts';
import { isRecord } from '../../base/index.ts';
import { featureEnabled } from '../../machinery/index.ts';

type FeatureOverrides = Readonly<Record<string, boolean>>;

/** Changes `object` in place, but not the fields that it shares with `old`. */
export function dropDisabledFields(message: Message, object: unknown, old: unknown, features: FeatureOverrides): void {
  const gates = gatesWith(features);
  if (!gates.reach(message)) return;
  let used: Set<string> | undefined;
  const isUsed = (gate: string): boolean => old !== undefined && (used ??= gatesInUse(gates, message, old)).has(gate);
  const meaningless = new Set<unknown>();
  const visit: Visit = {
    gated: (holder, field, owner) => {
      if (isUsed(field.gate!)) return;
      const value = holder[field.name];
      delete holder[field.name];
      if (owner.name === 'TypedObjectReference' && value) meaningless.add(holder);
      // A lifecycle that was sent empty stays.
      if (owner.name === 'Lifecycle' && Object.keys(holder).length === 0) meaningless.add(holder);
    },
    left: (holder, field) => {
      // Without its namespace, a reference into another namespace would point to an object of this one.
      if (meaningless.has(holder[field.name])) delete holder[field.name];
    },
  };
  visitGatedFields(gates, message, object, visit, old);
}

function gatesInUse(gates: Gates, message: Message, object: unknown): Set<string> {
  const used = new Set<string>();
  visitGatedFields(gates, message, object, { gated: (_holder, field) => used.add(field.gate!) });
  return used;
}

type FieldVisit = (holder: Record<string, unknown>, field: Field, owner: Message) => void;

interface Visit {
  readonly gated: FieldVisit;
  /** A field with gated fields below it, after those have been visited. */
  readonly left?: FieldVisit;
}

/** Skips the fields that are identical to those of `shared`. */
function visitGatedFields(gates: Gates, type: Type, value: unknown, visit: Visit, shared?: unknown): void {
  if (value === undefined || value === null) return;
  if (type.kind === 'list') {
    if (Array.isArray(value)) for (const element of value) visitGatedFields(gates, type.element, element, visit);
  } else if (type.kind === 'map') {
    if (isRecord(value))
      for (const element of Object.values(value)) visitGatedFields(gates, type.value, element, visit);
  } else if (type.kind === 'message' && isRecord(value)) {
    for (const { field, off } of gates.fieldsOf(type)) {
      if (value[field.name] === undefined || (isRecord(shared) && value[field.name] === shared[field.name])) continue;
      if (off) visit.gated(value, field, type);
      visitGatedFields(gates, field.type, value[field.name], visit);
      visit.left?.(value, field, type);
    }
  }
}

/** Claims that ephemeral volumes and StatefulSets describe inside their objects are validated, and lose no fields. */
const UNTOUCHED_INSIDE: ReadonlySet<string> = new Set(['PersistentVolumeClaimTemplate', 'PersistentVolumeClaim']);

interface GatedField {
  readonly field: Field;
  /** Whether the field's own gate is off; otherwise some field below it is gated. */
  readonly off: boolean;
}

/** Finds the disabled fields of each message: most kinds have none, and cost nothing. */
class Gates {
  readonly #features: FeatureOverrides;
  readonly #fields = new WeakMap<Message, readonly GatedField[]>();
  readonly #reaches = new WeakMap<Type, boolean>();

  constructor(features: FeatureOverrides) {
    this.#features = features;
  }

  /** Fields that are disabled, or that lead to a disabled one. */
  fieldsOf(message: Message): readonly GatedField[] {
    let fields = this.#fields.get(message);
    if (!fields) {
      fields = message.fields
        .map((field) => ({ field, off: this.#isOff(field) }))
        .filter(({ field, off }) => off || this.#leadsToDisabled(field.type));
      this.#fields.set(message, fields);
    }
    return fields;
  }

  reach(message: Message): boolean {
    return this.fieldsOf(message).length > 0;
  }

  #leadsToDisabled(type: Type): boolean {
    let reaches = this.#reaches.get(type);
    if (reaches === undefined) this.#reaches.set(type, (reaches = this.#search(type, new Set())));
    return reaches;
  }

  #search(type: Type, seen: Set<Message>): boolean {
    if (type.kind === 'list') return this.#search(type.element, seen);
    if (type.kind === 'map') return this.#search(type.value, seen);
    if (type.kind !== 'message' || seen.has(type) || UNTOUCHED_INSIDE.has(type.name)) return false;
    seen.add(type);
    return type.fields.some((field) => this.#isOff(field) || this.#search(field.type, seen));
  }

  #isOff({ gate }: Field): boolean {
    return gate !== undefined && !featureEnabled(gate, this.#features);
  }
}

const known = new WeakMap<FeatureOverrides, Gates>();

function gatesWith(features: FeatureOverrides): Gates {
  let gates = known.get(features);
  if (!gates) known.set(features, (gates = new Gates(features)));
  return gates;
}
