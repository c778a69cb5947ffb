/** Parts of nft rules that the table's chains and those of single Services have in common. */
import type { Family } from '../../component-helpers/index.ts';

export interface RuleSettings {
  /** Pod CIDRs. Traffic from other sources to a cluster IP is masqueraded. */
  readonly clusterCidrs: readonly string[];
  readonly masqueradeBit: number;
}

export const addressField = (family: Family): 'ip' | 'ip6' => (family === 'IPv4' ? 'ip' : 'ip6');

export const oneOrSet = (addresses: readonly string[]): string =>
  addresses.length === 1 ? addresses[0]! : `{ ${addresses.join(', ')} }`;

export const masqueradeMark = ({ masqueradeBit }: Pick<RuleSettings, 'masqueradeBit'>): string =>
  `0x${(1 << masqueradeBit).toString(16)}`;

/** The statement that marks a packet; the chain `masquerading` reads the mark. */
export const markForMasquerade = (settings: Pick<RuleSettings, 'masqueradeBit'>): string =>
  `mark set mark or ${masqueradeMark(settings)}`;
