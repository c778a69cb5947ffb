/** Validation of ServiceAccounts: metadata, and a warning about a deprecated annotation. */
import type { ServiceAccount } from '../../../api/generated/core-v1.ts';
import { path } from '../../errors/index.ts';
import { nameIsDnsSubdomain } from '../../names/index.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataAgain, metadataUpdate } from '../metadata-checks.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

const ENFORCE_MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets';

function annotationWarnings(warnings: string[], object: ServiceAccount): void {
  if (object.metadata?.annotations?.[ENFORCE_MOUNTABLE] === undefined) return;
  const what = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
  warnings.push(`${path('metadata', 'annotations').key(ENFORCE_MOUNTABLE)}: ${what}`);
}

export const serviceAccount: KindValidation<ServiceAccount> = {
  create: [metadata(RULES)],
  update: [metadataUpdate, metadataAgain(RULES)],
  warnings: [annotationWarnings],
};
