/** Validation of CertificateSigningRequests: the request, and which endpoint may write which part of the status. */
import { X509Certificate } from 'node:crypto';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '../../../api/generated/certificates-v1.ts';
import { pemBlocks, quote } from '../../../base/index.ts';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  path,
  required,
} from '../../errors/index.ts';
import { NO_MESSAGES } from '../../names/index.ts';
import { semanticEqual } from '../equality.ts';
import type { KindValidation, UpdateCheck } from '../kind-validation.ts';
import { metadata, metadataUpdate } from '../metadata-checks.ts';
import { validateObjectMeta } from '../object-meta.ts';
import { validateSignerName } from '../signer-name.ts';
import { certificateRequestProblem } from './certificate-request.ts';

const SPEC = path('spec');
const CONDITIONS = path('status', 'conditions');
const CERTIFICATE = path('status', 'certificate');
const META_RULES = { namespaced: false, name: () => NO_MESSAGES } as const;
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';
const MIN_SECONDS = 600;
const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

export const certificateSigningRequest: KindValidation<CertificateSigningRequest> = {
  create: [metadata(META_RULES), (errors, object) => validateRequest(errors, object, undefined)],
  update: updateChecks({ approval: false, certificate: false }),
  status: updateChecks({ approval: false, certificate: true }),
  subresources: { approval: updateChecks({ approval: true, certificate: false }) },
};

/** What an endpoint may write. */
interface Permissions {
  readonly approval: boolean;
  readonly certificate: boolean;
}

function updateChecks({ approval, certificate }: Permissions): UpdateCheck<CertificateSigningRequest>[] {
  return [
    (errors, object) => validateObjectMeta(errors, object.metadata, META_RULES),
    (errors, object, old) => validateRequest(errors, object, old),
    (errors, object, old) => validateConditionsKept(errors, object, old),
    ...(approval ? [] : [validateApprovalUnchanged]),
    (errors, object, old) => validateCertificateChange(errors, object, old, certificate),
    metadataUpdate,
  ];
}

function validateRequest(
  errors: FieldError[],
  object: CertificateSigningRequest,
  old: CertificateSigningRequest | undefined,
): void {
  const { request, usages: given, signerName = '', expirationSeconds } = object.spec ?? { usages: [] };
  const usages = given ?? [];
  const problem = certificateRequestProblem(Buffer.from(request ?? '', 'base64').toString('latin1'));
  if (problem !== undefined) errors.push(invalidValue(SPEC.child('request'), request ?? null, problem));
  if (usages.length === 0) errors.push(required(SPEC.child('usages')));
  validateUsages(errors, usages, old?.spec?.usages ?? []);
  if (signerName === LEGACY_SIGNER && old?.spec?.signerName !== LEGACY_SIGNER) {
    errors.push(
      invalidValue(SPEC.child('signerName'), signerName, 'the legacy signerName is not allowed via this API version'),
    );
  } else {
    validateSignerName(errors, signerName, SPEC.child('signerName'));
  }
  if (expirationSeconds != null && expirationSeconds < MIN_SECONDS) {
    const detail = 'may not specify a duration less than 600 seconds (10 minutes)';
    errors.push(invalidValue(SPEC.child('expirationSeconds'), expirationSeconds, detail));
  }
  validateConditions(errors, conditionsOf(object), conditionsOf(old));
  validateCertificate(errors, object, old);
}

const hasDuplicates = (values: readonly string[]): boolean => new Set(values).size < values.length;

/** Unknown or duplicate usages that are stored already are accepted. */
function validateUsages(errors: FieldError[], usages: readonly string[], old: readonly string[]): void {
  const at = SPEC.child('usages');
  if (old.every((usage) => USAGES.includes(usage))) {
    for (const [i, usage] of usages.entries())
      if (!USAGES.includes(usage)) errors.push(notSupported(at.index(i), usage, USAGES));
  }
  if (hasDuplicates(old)) return;
  const seen = new Set<string>();
  for (const [i, usage] of usages.entries()) {
    if (seen.has(usage)) errors.push(duplicate(at.index(i), usage));
    seen.add(usage);
  }
}

type Conditions = readonly CertificateSigningRequestCondition[];
const conditionsOf = (object: CertificateSigningRequest | undefined): Conditions => object?.status?.conditions ?? [];
const ofType = (conditions: Conditions, type: string): Conditions =>
  conditions.filter((condition) => condition.type === type);
const ONLY_TRUE = ['Approved', 'Denied', 'Failed'];
const ANY_STATUS = ['False', 'True', 'Unknown'];

function validateConditions(errors: FieldError[], conditions: Conditions, old: Conditions): void {
  const allowEmpty = old.some(({ type }) => !type);
  const allowBoth = ofType(old, 'Approved').length > 0 && ofType(old, 'Denied').length > 0;
  const allowRepeated = hasDuplicates(old.map(({ type }) => type));
  const seen = new Set<string>();
  for (const [i, { type = '', status = '' }] of conditions.entries()) {
    const at = CONDITIONS.index(i);
    if (type === '' && !allowEmpty) errors.push(required(at.child('type')));
    const supported = ONLY_TRUE.includes(type) ? ['True'] : ANY_STATUS;
    if (status === '') errors.push(required(at.child('status')));
    else if (!supported.includes(status)) errors.push(notSupported(at.child('status'), status, supported));
    const other = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    if (!allowBoth && other !== undefined && seen.has(other)) {
      errors.push(invalidValue(CONDITIONS, type, 'Approved and Denied conditions are mutually exclusive'));
    }
    if (!allowRepeated && seen.has(type)) errors.push(duplicate(at.child('type'), type));
    seen.add(type);
  }
}

/** Not checked if the certificate is unchanged or replaces an invalid one. */
function validateCertificate(
  errors: FieldError[],
  object: CertificateSigningRequest,
  old: CertificateSigningRequest | undefined,
): void {
  const certificate = object.status?.certificate;
  if (old && (old.status?.certificate ?? '') === (certificate ?? '')) return;
  if (old && certificateProblem(old.status?.certificate) !== undefined) return;
  const problem = certificateProblem(certificate);
  if (problem !== undefined) errors.push(invalidValue(CERTIFICATE, '<certificate data>', problem));
}

function certificateProblem(base64: string | undefined): string | undefined {
  if (!base64) return undefined;
  let blocks = 0;
  for (const { type, headers, bytes } of pemBlocks(Buffer.from(base64, 'base64').toString('latin1'))) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${quote(type)}`;
    if (headers.size > 0) return 'no PEM block headers are permitted';
    blocks++;
    try {
      new X509Certificate(bytes);
    } catch {
      return 'x509: malformed certificate';
    }
  }
  return blocks === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

function validateConditionsKept(
  errors: FieldError[],
  object: CertificateSigningRequest,
  old: CertificateSigningRequest,
): void {
  for (const type of ONLY_TRUE) {
    if (ofType(conditionsOf(object), type).length < ofType(conditionsOf(old), type).length) {
      errors.push(forbiddenField(CONDITIONS, `updates may not remove a condition of type ${quote(type)}`));
    }
  }
}

function validateApprovalUnchanged(
  errors: FieldError[],
  object: CertificateSigningRequest,
  old: CertificateSigningRequest,
): void {
  for (const type of ['Approved', 'Denied']) {
    const [now, before] = [ofType(conditionsOf(object), type), ofType(conditionsOf(old), type)];
    if (now.length > before.length)
      errors.push(forbiddenField(CONDITIONS, `updates may not add a condition of type ${quote(type)}`));
    else if (now.length === before.length && !semanticEqual(now, before)) {
      errors.push(forbiddenField(CONDITIONS, `updates may not modify a condition of type ${quote(type)}`));
    }
  }
}

function validateCertificateChange(
  errors: FieldError[],
  object: CertificateSigningRequest,
  old: CertificateSigningRequest,
  allowed: boolean,
): void {
  const [now, before] = [object.status?.certificate ?? '', old.status?.certificate ?? ''];
  if (now === before) return;
  if (!allowed) errors.push(forbiddenField(CERTIFICATE, 'updates may not set certificate content'));
  else if (before !== '')
    errors.push(forbiddenField(CERTIFICATE, 'updates may not modify existing certificate content'));
}
