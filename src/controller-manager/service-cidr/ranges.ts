/** Address ranges of ServiceCIDRs and IPAddresses. */
import type { ServiceCIDR } from '../../api/generated/networking-v1.ts';
import { AddressRange } from '../../base/index.ts';

export const cidrsOf = ({ spec }: ServiceCIDR): AddressRange[] =>
  (spec?.cidrs ?? []).map((cidr) => AddressRange.parse(cidr));

/** The range of a single address. */
export const hostRange = (address: string): AddressRange =>
  AddressRange.parse(`${address}/${address.includes(':') ? 128 : 32}`);
