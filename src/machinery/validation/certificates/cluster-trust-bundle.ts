/** Validation of ClusterTrustBundles: their name by the signer, and the CA certificates. */
import { X509Certificate } from 'node:crypto';
import type { ClusterTrustBundle } from '../../../api/generated/certificates-v1beta1.ts';
import { pemBlocks } from '../../../base/index.ts';
import { type FieldError, invalidValue, path, tooLong } from '../../errors/index.ts';
import { utf8Longer } from '../../names/index.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadataUpdate } from '../metadata-checks.ts';
import { validateImmutable, validateObjectMeta } from '../object-meta.ts';
import { clusterTrustBundleName, validateSignerName } from '../signer-name.ts';

const SIGNER = path('spec', 'signerName');
const BUNDLE = path('spec', 'trustBundle');
const MAX_BUNDLE_BYTES = 1024 * 1024;

export const clusterTrustBundle: KindValidation<ClusterTrustBundle> = {
  create: [validateName, (errors, object) => validateTrustBundle(errors, object.spec?.trustBundle ?? '')],
  update: [
    validateName,
    // A bundle that is stored stays valid: what parses as a certificate may change from release to release.
    (errors, object, old) => {
      const bundle = object.spec?.trustBundle ?? '';
      if (bundle !== (old.spec?.trustBundle ?? '')) validateTrustBundle(errors, bundle);
    },
    metadataUpdate,
    (errors, object, old) =>
      validateImmutable(errors, object.spec?.signerName ?? '', old.spec?.signerName ?? '', SIGNER),
  ],
};

function validateName(errors: FieldError[], { metadata, spec }: ClusterTrustBundle): void {
  const signerName = spec?.signerName ?? '';
  const name = (text: string) => clusterTrustBundleName(text, signerName);
  validateObjectMeta(errors, metadata, { namespaced: false, name });
  if (signerName !== '') validateSignerName(errors, signerName, SIGNER);
}

function validateTrustBundle(errors: FieldError[], bundle: string): void {
  if (utf8Longer(bundle, MAX_BUNDLE_BYTES)) {
    errors.push(tooLong(BUNDLE, MAX_BUNDLE_BYTES));
    return;
  }
  const problems: string[] = [];
  const entries = new Map<string, number[]>();
  let i = 0;
  for (const { type, headers, bytes } of pemBlocks(bundle)) {
    const problem = entryProblem(type, headers.size, bytes);
    if (problem !== undefined) problems.push(`entry ${i} ${problem}`);
    else {
      const key = bytes.toString('latin1');
      entries.set(key, [...(entries.get(key) ?? []), i]);
    }
    i++;
  }
  if (problems.length === 0) {
    if (entries.size === 0) problems.push('at least one trust anchor must be provided');
    for (const places of entries.values())
      if (places.length > 1) problems.push(`duplicate trust anchor (indices [${places.join(' ')}])`);
  }
  for (const problem of problems) errors.push(invalidValue(BUNDLE, '<value omitted>', problem));
}

function entryProblem(type: string, headers: number, bytes: Buffer): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (headers > 0) return 'has PEM block headers';
  try {
    return new X509Certificate(bytes).ca ? undefined : 'does not have the CA bit set';
  } catch {
    return 'does not parse as X.509';
  }
}
