/**
 * The behavior of a HorizontalPodAutoscaler in the annotation of an autoscaling/v1 object: under the names of Go's fields,
 * all of them.
 */
import { isRecord } from '../base/index.ts';

type Fields = Record<string, unknown>;

const RULES = ['ScaleUp', 'ScaleDown'] as const;
const RULE_FIELDS = ['StabilizationWindowSeconds', 'SelectPolicy', 'Policies', 'Tolerance'] as const;
const POLICY_FIELDS = ['Type', 'Value', 'PeriodSeconds'] as const;

const lowerFirst = (name: string): string => name[0]!.toLowerCase() + name.slice(1);

/** Upstream writes its internal type into the annotation: other names, and null for what is unset. */
export function behaviorToAnnotation(behavior: Fields): string {
  const named = (object: unknown, names: readonly string[]): Fields | null =>
    isRecord(object) ? Object.fromEntries(names.map((name) => [name, object[lowerFirst(name)] ?? null])) : null;
  const rules = (object: unknown): Fields | null => {
    const out = named(object, RULE_FIELDS);
    const policies = out?.['Policies'];
    return out && Array.isArray(policies)
      ? { ...out, Policies: policies.map((policy) => named(policy, POLICY_FIELDS)) }
      : out;
  };
  return JSON.stringify(Object.fromEntries(RULES.map((name) => [name, rules(behavior[lowerFirst(name)])])));
}

/** Go reads names whatever their case. */
export function behaviorFromAnnotation(value: unknown): Fields | undefined {
  if (!isRecord(value)) return undefined;
  const named = (object: unknown, names: readonly string[]): Fields | undefined => {
    if (!isRecord(object)) return undefined;
    const out: Fields = {};
    for (const [key, held] of Object.entries(object)) {
      const name = names.find((one) => one.toLowerCase() === key.toLowerCase());
      if (name !== undefined && held !== null) out[lowerFirst(name)] = held;
    }
    return out;
  };
  const behavior = named(value, RULES)!;
  for (const [rule, held] of Object.entries(behavior)) {
    const rules = named(held, RULE_FIELDS) ?? {};
    const { policies } = rules;
    behavior[rule] = {
      ...rules,
      ...(Array.isArray(policies) ? { policies: policies.map((policy) => named(policy, POLICY_FIELDS) ?? {}) } : {}),
    };
  }
  return Object.keys(behavior).length > 0 ? behavior : undefined;
}
