/** Validation of PodCertificateRequests: whose certificate, its key, and what a signer may answer. */
import { constants, createPublicKey, verify, X509Certificate, type KeyObject } from 'node:crypto';
import type {
  PodCertificateRequest,
  PodCertificateRequestSpec,
  PodCertificateRequestStatus,
} from '../../../api/generated/certificates-v1beta1.ts';
import { pemBlocks } from '../../../base/index.ts';
import {
  type FieldError,
  invalidValue,
  notSupported,
  OMIT_VALUE,
  path,
  type Path,
  required,
  tooLong,
} from '../../errors/index.ts';
import { nameIsDnsSubdomain, qualifiedName, utf8Longer } from '../../names/index.ts';
import { semanticEqual } from '../equality.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataUpdate } from '../metadata-checks.ts';
import { validateConditions } from '../object-meta.ts';
import { validateSignerName } from '../signer-name.ts';
import { certificateRequestOf } from './certificate-request.ts';

const SPEC = path('spec');
const STATUS = path('status');
const CHAIN = STATUS.child('certificateChain');
const KEY = SPEC.child('pkixPublicKey');
const REQUEST = SPEC.child('stubPKCS10Request');

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const MAX_EXPIRATION_SECONDS = 91 * DAY_SECONDS;
const MAX_KEY_BYTES = 10 * 1024;
const MAX_CHAIN_BYTES = 100 * 1024;
const MAX_UID_BYTES = 128;
const TEN_MINUTES_MS = 10 * 60 * 1000;
const ANNOTATIONS_MAX_BYTES = 256 * 1024;

export const podCertificateRequest: KindValidation<PodCertificateRequest> = {
  create: [
    metadata({ namespaced: true, name: nameIsDnsSubdomain }),
    (errors, { spec }) => validateSpec(errors, spec ?? ({} as PodCertificateRequestSpec)),
  ],
  update: [
    metadataUpdate,
    (errors, object, old) => {
      if (semanticEqual(object.spec, old.spec)) return;
      const shown = goStruct('io.k8s.api.certificates.v1beta1.PodCertificateRequestSpec', object.spec);
      errors.push(invalidValue(SPEC, shown, 'field is immutable'));
    },
  ],
  status: [metadataUpdate, validateStatus],
};

function validateSpec(errors: FieldError[], spec: PodCertificateRequestSpec): void {
  validateSignerName(errors, spec.signerName ?? '', SPEC.child('signerName'));
  validateUserAnnotations(errors, spec.unverifiedUserAnnotations ?? {}, SPEC.child('unverifiedUserAnnotations'));
  for (const name of ['pod', 'serviceAccount', 'node'] as const) {
    const [text, uid] = [spec[`${name}Name`] ?? '', spec[`${name}UID`] ?? ''];
    for (const message of nameIsDnsSubdomain(text)) errors.push(invalidValue(SPEC.child(`${name}Name`), text, message));
    if (uid === '') errors.push(invalidValue(SPEC.child(`${name}UID`), uid, 'must not be empty'));
    if (utf8Longer(uid, MAX_UID_BYTES)) errors.push(tooLong(SPEC.child(`${name}UID`), MAX_UID_BYTES));
  }
  const { maxExpirationSeconds: seconds } = spec;
  if (seconds == null) {
    errors.push(required(SPEC.child('maxExpirationSeconds'), 'must be set'));
    return;
  }
  const max = isKubernetesSigner(spec.signerName ?? '') ? DAY_SECONDS : MAX_EXPIRATION_SECONDS;
  if (seconds < HOUR_SECONDS || seconds > max)
    errors.push(
      invalidValue(SPEC.child('maxExpirationSeconds'), seconds, `must be in the range [${HOUR_SECONDS}, ${max}]`),
    );
  const { stubPKCS10Request: request, pkixPublicKey: key, proofOfPossession: proof } = spec;
  if (request && !key && !proof) validateRequest(errors, bytesOf(request));
  else if (!request && key && proof) validateKey(errors, spec);
  else {
    const detail = 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';
    errors.push(invalidValue(SPEC, OMIT_VALUE, detail));
  }
}

const isKubernetesSigner = (name: string): boolean => /(^|\.)kubernetes\.io$/.test(name.split('/', 1)[0] ?? '');

const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64');

/** Keys have a domain; all together they have the size limit of annotations. */
function validateUserAnnotations(errors: FieldError[], annotations: Readonly<Record<string, string>>, at: Path): void {
  let bytes = 0;
  for (const [name, value] of Object.entries(annotations)) {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    const key = name.toLowerCase();
    const messages = key === '' ? [] : qualifiedName(key);
    if (key === '') errors.push(required(at));
    for (const message of messages) errors.push(invalidValue(at, key, message));
    if (key !== '' && messages.length === 0 && !key.includes('/'))
      errors.push(invalidValue(at, key, 'must be a domain-prefixed key (such as "acme.io/foo")'));
  }
  if (bytes > ANNOTATIONS_MAX_BYTES) errors.push(tooLong(at, ANNOTATIONS_MAX_BYTES));
}

function validateKey(errors: FieldError[], { pkixPublicKey, proofOfPossession, podUID }: PodCertificateRequestSpec) {
  const [der, proof] = [bytesOf(pkixPublicKey ?? ''), bytesOf(proofOfPossession ?? '')];
  if (der.length > MAX_KEY_BYTES) errors.push(tooLong(KEY, MAX_KEY_BYTES));
  else if (proof.length > MAX_KEY_BYTES) errors.push(tooLong(SPEC.child('proofOfPossession'), MAX_KEY_BYTES));
  else {
    const key = publicKeyOf(der);
    if (!key) errors.push(invalidValue(KEY, pkixPublicKey, 'must be a valid PKIX-serialized public key'));
    else if (!validateKeyForm(errors, key, { at: KEY, shown: pkixPublicKey, curves: 'P256 or P384' })) return;
    else if (!isProof(key, podUID, proof)) {
      const detail = 'could not verify proof-of-possession signature';
      errors.push(invalidValue(SPEC.child('proofOfPossession'), OMIT_VALUE, detail));
    }
  }
}

function publicKeyOf(der: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

/** The key signs the UID of the pod. */
function isProof(key: KeyObject, podUID: string, proof: Buffer): boolean {
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const saltLength = constants.RSA_PSS_SALTLEN_AUTO;
  const isRsa = key.asymmetricKeyType === 'rsa';
  try {
    const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
    return verify(hash, Buffer.from(podUID), { key, ...(isRsa ? { padding, saltLength } : {}) }, proof);
  } catch {
    return false;
  }
}

/** Go's names of curves that OpenSSL calls otherwise. */
const CURVES: ReadonlyMap<string, string> = new Map([['secp224r1', 'P-224']]);
const ALLOWED_CURVES = ['prime256v1', 'secp384r1', 'secp521r1'];

interface KeyPlace {
  readonly at: Path;
  /** What the error for an unknown type of key shows. */
  readonly shown: unknown;
  readonly curves: string;
}

function validateKeyForm(errors: FieldError[], key: KeyObject, { at, shown, curves }: KeyPlace): boolean {
  const { namedCurve = '', modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return true;
    case 'ec': {
      if (ALLOWED_CURVES.includes(namedCurve)) return true;
      const curve = `curve ${CURVES.get(namedCurve) ?? namedCurve}`;
      errors.push(invalidValue(at, curve, `elliptic public keys must use curve ${curves}`));
      return false;
    }
    case 'rsa': {
      if (modulusLength === 3072 || modulusLength === 4096) return true;
      const detail = 'RSA keys must have modulus size 3072 or 4096';
      errors.push(invalidValue(at, `${modulusLength}-bit modulus`, detail));
      return false;
    }
    default:
      errors.push(invalidValue(at, shown, 'unknown public key type; supported types are Ed25519, ECDSA, and RSA'));
      return false;
  }
}

function validateRequest(errors: FieldError[], der: Buffer): void {
  if (der.length > MAX_KEY_BYTES) {
    errors.push(tooLong(REQUEST, MAX_KEY_BYTES));
    return;
  }
  const request = certificateRequestOf(der);
  const key = request && publicKeyOf(request.publicKey);
  if (!key) errors.push(invalidValue(REQUEST, OMIT_VALUE, 'must be a valid PKCS#10 CSR'));
  else if (!validateKeyForm(errors, key, { at: REQUEST, shown: OMIT_VALUE, curves: 'P256, P384, or P521' })) return;
  else if (!request.isSigned) errors.push(invalidValue(REQUEST, OMIT_VALUE, 'invalid signature'));
}

const STATES = ['Issued', 'Denied', 'Failed'];
const TRUE = ['True'];

const isIn = ({ status }: PodCertificateRequest, states: readonly string[]): boolean =>
  (status?.conditions ?? []).some(({ type, status: value }) => states.includes(type) && value === 'True');

function validateStatus(errors: FieldError[], object: PodCertificateRequest, old: PodCertificateRequest): void {
  if (errors.length > 0) return;
  const status = object.status ?? {};
  validateStates(errors, status);
  if (errors.length > 0) return;
  const same = semanticEqual(status, old.status ?? {});
  const refuse = (detail: string) => errors.push(invalidValue(STATUS, OMIT_VALUE, detail));
  if (isIn(old, STATES)) {
    if (!same) refuse('immutable after PodCertificateRequest is issued, denied, or failed');
  } else if (isIn(object, ['Denied', 'Failed'])) {
    if (Object.entries(status).some(([name, value]) => name !== 'conditions' && value))
      refuse('non-condition status fields must be empty when denying or failing the PodCertificateRequest');
  } else if (isIn(object, ['Issued'])) validateIssued(errors, old.spec, status);
  else if (!same) refuse('status is immutable unless transitioning to "Issued", "Denied", or "Failed"');
}

function validateStates(errors: FieldError[], { conditions = [] }: PodCertificateRequestStatus): void {
  const seen = conditions.map(({ type }) => STATES.includes(type));
  for (const [i, { type, status }] of conditions.entries()) {
    // Upstream has the index as a name of its own.
    const at = STATUS.child('conditions', `[${i}]`);
    if (!STATES.includes(type)) {
      errors.push(notSupported(at.child('type'), type, STATES));
      continue;
    }
    if (seen.indexOf(true) < i) {
      const detail = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
      errors.push(invalidValue(at.child('type'), type, detail));
    }
    if (status !== 'True') errors.push(notSupported(at.child('status'), status, TRUE));
  }
  validateConditions(errors, conditions, STATUS.child('conditions'));
}

function validateIssued(
  errors: FieldError[],
  spec: PodCertificateRequestSpec,
  status: PodCertificateRequestStatus,
): void {
  const chain = status.certificateChain ?? '';
  const refuse = (detail: string) => errors.push(invalidValue(CHAIN, chain, detail));
  if (utf8Longer(chain, MAX_CHAIN_BYTES)) {
    errors.push(tooLong(CHAIN, MAX_CHAIN_BYTES));
    return;
  }
  const [leafBlock, ...others] = pemBlocks(chain);
  if (!leafBlock) {
    refuse('issued certificate chain must contain at least one certificate');
    return;
  }
  if (leafBlock.type !== 'CERTIFICATE') {
    refuse('issued certificate chain must consist entirely of CERTIFICATE PEM blocks');
    return;
  }
  const leaf = certificateOf(leafBlock.bytes);
  if (!leaf) {
    refuse('leaf certificate does not parse as valid X.509');
    return;
  }
  validateDnsNames(errors, leaf);
  const key = requestedKey(spec);
  if (!key) {
    const [at, what] = spec.stubPKCS10Request
      ? [REQUEST, 'must be a valid PKCS#10 CSR']
      : [KEY, 'must be a valid PKIX-serialized public key'];
    errors.push(invalidValue(at, OMIT_VALUE, what));
    return;
  }
  if (!key.equals(leaf.publicKey)) {
    refuse('leaf certificate was not issued to the requested public key');
    return;
  }
  validateTimes(errors, leaf, spec, status);
  if (errors.length > 0) return;
  for (const { type, bytes } of others) {
    if (type !== 'CERTIFICATE') refuse('issued certificate chain must consist entirely of CERTFICATE PEM blocks');
    else if (!certificateOf(bytes)) refuse('intermediate certificate does not parse as valid X.509');
    if (errors.length > 0) return;
  }
}

function certificateOf(bytes: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}

function requestedKey({ stubPKCS10Request, pkixPublicKey }: PodCertificateRequestSpec): KeyObject | undefined {
  const der = stubPKCS10Request
    ? certificateRequestOf(bytesOf(stubPKCS10Request))?.publicKey
    : bytesOf(pkixPublicKey ?? '');
  return der && publicKeyOf(der);
}

function validateDnsNames(errors: FieldError[], { subjectAltName }: X509Certificate): void {
  for (const entry of subjectAltName?.split(', ') ?? []) {
    if (!entry.startsWith('DNS:')) continue;
    const name = entry.slice('DNS:'.length);
    const refuse = (detail: string) => errors.push(invalidValue(CHAIN, name, detail));
    if (name === '') refuse('leaf certificate should not contain empty DNSName');
    if (name.includes('..')) refuse("leaf certificate's DNSName should not contain '..'");
    if (name.startsWith('.') || name.endsWith('.'))
      refuse("leaf certificate's DNSName should not start or end with '.'");
  }
}

/** That notBefore is near the present is checked by the strategy, which knows the time. */
function validateTimes(
  errors: FieldError[],
  leaf: X509Certificate,
  { maxExpirationSeconds = DAY_SECONDS }: PodCertificateRequestSpec,
  { notBefore, notAfter, beginRefreshAt }: PodCertificateRequestStatus,
): void {
  const consistent = 'must be present and consistent with the issued certificate';
  if (!notBefore) errors.push(required(STATUS.child('notBefore'), consistent));
  if (!notAfter) errors.push(required(STATUS.child('notAfter'), consistent));
  if (!beginRefreshAt)
    errors.push(
      required(STATUS.child('beginRefreshAt'), 'must be present and in the range [notbefore+10min, notafter-10min]'),
    );
  if (!notBefore || !notAfter || !beginRefreshAt || errors.length > 0) return;
  const [from, to, refresh] = [Date.parse(notBefore), Date.parse(notAfter), Date.parse(beginRefreshAt)];
  const [leafFrom, leafTo] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  const seconds = (leafTo - leafFrom) / 1000;
  const refuse = (at: Path, value: unknown, detail: string) => errors.push(invalidValue(at, value, detail));
  if (from !== leafFrom)
    refuse(STATUS.child('notBefore'), notBefore, 'must be set to the NotBefore time encoded in the leaf certificate');
  else if (to !== leafTo)
    refuse(STATUS.child('notAfter'), notAfter, 'must be set to the NotAfter time encoded in the leaf certificate');
  else if (seconds < HOUR_SECONDS) refuse(CHAIN, seconds * 1e9, 'leaf certificate lifetime must be >= 1 hour');
  else if (seconds > maxExpirationSeconds) {
    const detail = `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${maxExpirationSeconds})`;
    refuse(CHAIN, seconds * 1e9, detail);
  } else if (refresh < from + TEN_MINUTES_MS)
    refuse(STATUS.child('beginRefreshAt'), beginRefreshAt, 'must be at least 10 minutes after status.notBefore');
  else if (refresh > to - TEN_MINUTES_MS)
    refuse(STATUS.child('beginRefreshAt'), beginRefreshAt, 'must be at least 10 minutes before status.notAfter');
}
