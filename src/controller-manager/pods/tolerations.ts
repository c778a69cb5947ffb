import type { Taint, Toleration } from '../../api/generated/core-v1.ts';

/** Whether the toleration covers the taint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator ?? 'Equal') {
    case 'Exists':
      return true;
    case '':
    case 'Equal':
      return (toleration.value ?? '') === (taint.value ?? '');
    case 'Lt':
    case 'Gt':
      return comparesTo(toleration, taint);
    default:
      return false;
  }
}

function comparesTo(toleration: Toleration, taint: Taint): boolean {
  const [wanted, actual] = [toleration.value ?? '', taint.value ?? ''];
  if (!/^-?\d+$/.test(wanted) || !/^-?\d+$/.test(actual)) return false;
  return toleration.operator === 'Lt' ? BigInt(actual) < BigInt(wanted) : BigInt(actual) > BigInt(wanted);
}

/** The first taint with one of the effects that no toleration covers. */
export function untolerated(taints: readonly Taint[], tolerations: readonly Toleration[], effects: readonly string[]): Taint | undefined {
  return taints.find((taint) => effects.includes(taint.effect) && !tolerations.some((toleration) => tolerates(toleration, taint)));
}
