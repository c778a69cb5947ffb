/** Service accounts have no rules beyond those of metadata. */
import type { ServiceAccount } from '../../../api/generated/core-v1.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataAgain, metadataUpdate } from '../metadata-checks.ts';
import { nameIsDnsSubdomain } from '../names.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

export const serviceAccount: KindValidation<ServiceAccount> = {
  create: [metadata(RULES)],
  update: [metadataUpdate, metadataAgain(RULES)],
};
