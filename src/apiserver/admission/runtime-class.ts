/** RuntimeClass: sets a pod's overhead, node selector and tolerations from its RuntimeClass. */
import type { RuntimeClass } from '../../api/generated/node-v1.ts';
import { ownValue, parseQuantity } from '../../base/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { mergeTolerations } from './merge-tolerations.ts';
import { newForbidden } from './new-forbidden.ts';
import { isForPods, podOf, specOf } from './request-objects.ts';

type ClassObject = RuntimeClass & KubeObject;
type ResourceList = Readonly<Record<string, string>>;

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

export function runtimeClassPlugin(registry: Registry): AdmissionPlugin {
  const classes = registry.require('node.k8s.io', 'v1', 'runtimeclasses');

  function classOf(attributes: AdmissionAttributes): ClassObject | undefined {
    const name = specOf(podOf(attributes)).runtimeClassName;
    if (name === undefined) return undefined;
    const found = classes.cache.get('', name);
    if (!found) throw newForbidden(attributes, `pod rejected: RuntimeClass "${name}" not found`);
    return found.object as ClassObject;
  }

  return {
    name: 'RuntimeClass',
    operations: ['CREATE'],
    matches: isForPods,
    admit(attributes) {
      const found = classOf(attributes);
      if (!found) return;
      setOverhead(attributes, found);
      setScheduling(attributes, found);
    },
    validate(attributes) {
      const spec = specOf(podOf(attributes));
      const fixed = classOf(attributes)?.overhead;
      if (fixed && !sameAmounts(fixed.podFixed ?? {}, spec.overhead ?? {})) throw newForbidden(attributes, MISMATCH);
      if (!fixed && Object.keys(spec.overhead ?? {}).length > 0) {
        throw newForbidden(
          attributes,
          'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
        );
      }
    },
  };
}

function setOverhead(attributes: AdmissionAttributes, { overhead }: ClassObject): void {
  if (!overhead) return;
  const spec = specOf(podOf(attributes));
  const fixed = overhead.podFixed ?? {};
  if (spec.overhead && !sameAmounts(fixed, spec.overhead)) throw newForbidden(attributes, MISMATCH);
  if (!spec.overhead) attributes.record?.changed('spec.overhead');
  spec.overhead = { ...fixed };
}

function setScheduling(attributes: AdmissionAttributes, { scheduling }: ClassObject): void {
  if (!scheduling) return;
  const spec = specOf(podOf(attributes));
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const own = ownValue(spec.nodeSelector, key);
    if (own !== undefined && own !== value) {
      throw newForbidden(
        attributes,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      );
    }
    if (own === undefined) attributes.record?.changed(`spec.nodeSelector[${key}]`);
    (spec.nodeSelector ??= {})[key] = value;
  }
  if (!scheduling.tolerations?.length) return;
  const before = spec.tolerations?.length ?? 0;
  spec.tolerations = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations);
  if (spec.tolerations.length !== before) attributes.record?.changed('spec.tolerations');
}

function sameAmounts(a: ResourceList, b: ResourceList): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => b[name] !== undefined && parseQuantity(a[name]!).equals(parseQuantity(b[name])))
  );
}
