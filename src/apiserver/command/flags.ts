import { type FlagTable, type FlagValues, loggingFlags, processFlags } from '../../flags/index.ts';
import { auditFlags } from './audit-flags.ts';
import { admissionFlags, authenticationFlags, authorizationFlags } from './security-flags.ts';
import { apiFlags, servingFlags, storageFlags } from './serving-flags.ts';

/** All flags of kube-apiserver v1.36. */
export const apiServerFlags = {
  ...servingFlags,
  ...storageFlags,
  ...apiFlags,
  ...authenticationFlags,
  ...authorizationFlags,
  ...admissionFlags,
  ...auditFlags,
  ...loggingFlags,
  ...processFlags,
} as const satisfies FlagTable;

export type ApiServerFlagValues = FlagValues<typeof apiServerFlags>;
