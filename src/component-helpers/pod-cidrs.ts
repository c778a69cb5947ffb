import type { Node } from '../api/generated/core-v1.ts';

export const podCidrsOf = ({ spec }: Node): readonly string[] =>
  spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
