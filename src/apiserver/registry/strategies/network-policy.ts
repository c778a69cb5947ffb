import type { NetworkPolicy } from '../../../api/generated/networking-v1.ts';
import { schema } from '../../../api/index.ts';
import { canonicalize } from '../../../machinery/decode/index.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';
import { specChanges } from './spec-generation.ts';

const SPEC = schema.message('io.k8s.api.networking.v1.NetworkPolicySpec');

/** An empty list in a write counts as a change of the absent one that is stored. */
export const networkPolicies: Strategy<ObjectOf<NetworkPolicy>> = {
  generationChanges: specChanges,
  tracked: (object) => ({ ...object, ...storedSpec(object) }),
  canonicalize: (object) => void Object.assign(object, storedSpec(object)),
};

function storedSpec({ spec }: NetworkPolicy): Pick<NetworkPolicy, 'spec'> {
  return spec ? { spec: canonicalize(SPEC, spec) as unknown as NonNullable<NetworkPolicy['spec']> } : {};
}
