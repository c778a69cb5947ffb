/** Validation of Secrets: keys, size, required keys by type, and immutability. */
import type { Secret } from '../../../api/generated/core-v1.ts';
import { isRecord } from '../../../base/index.ts';
import { type FieldError, forbiddenField, invalidValue, path, required, tooLong } from '../../errors/index.ts';
import { base64Length, configMapKey, nameIsDnsSubdomain } from '../../names/index.ts';
import { semanticEqual } from '../equality.ts';
import { parseGoJson } from '../go-json-error.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataAgain, metadataUpdate } from '../metadata-checks.ts';
import { validateImmutable } from '../object-meta.ts';
import { IMMUTABLE_WHEN_SET, MAX_DATA_BYTES } from './config-map.ts';
import { keyPairProblem } from './tls-key-pair.ts';

const DATA = path('data');
const SERVICE_ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const RULES = { namespaced: true, name: nameIsDnsSubdomain };

function data(errors: FieldError[], { data: values = {} }: Secret): void {
  let size = 0;
  for (const key in values) {
    for (const message of configMapKey(key)) errors.push(invalidValue(DATA.key(key), key, message));
    size += base64Length(values[key]!);
  }
  if (size > MAX_DATA_BYTES) errors.push(tooLong(DATA, MAX_DATA_BYTES));
}

type TypeCheck = (errors: FieldError[], secret: Secret) => void;

const needs =
  (...keys: string[]): TypeCheck =>
  (errors, { data: values = {} }) => {
    for (const key of keys) if (values[key] === undefined) errors.push(required(DATA.key(key)));
  };

const TYPES: ReadonlyMap<string, TypeCheck> = new Map(
  Object.entries<TypeCheck>({
    'kubernetes.io/service-account-token': (errors, secret) => {
      if (secret.metadata?.annotations?.[SERVICE_ACCOUNT_NAME]) return;
      errors.push(required(path('metadata', 'annotations').key(SERVICE_ACCOUNT_NAME)));
    },
    'kubernetes.io/dockercfg': jsonAt('.dockercfg'),
    'kubernetes.io/dockerconfigjson': jsonAt('.dockerconfigjson'),
    'kubernetes.io/basic-auth': (errors, secret) => {
      const values = secret.data ?? {};
      if (values['username'] === undefined && values['password'] === undefined)
        needs('username', 'password')(errors, secret);
    },
    'kubernetes.io/ssh-auth': (errors, { data: values = {} }) => {
      if (!values['ssh-privatekey']) errors.push(required(DATA.key('ssh-privatekey')));
    },
    'kubernetes.io/tls': needs('tls.crt', 'tls.key'),
  }),
);

function jsonAt(key: string): TypeCheck {
  return (errors, { data: values = {} }) => {
    const value = values[key];
    if (value === undefined) {
      errors.push(required(DATA.key(key)));
      return;
    }
    const parsed = parseGoJson(Buffer.from(value, 'base64').toString('utf8'));
    const problem = parsed.problem ?? mapProblem(parsed.value);
    if (problem !== undefined) errors.push(invalidValue(DATA.key(key), '<secret contents redacted>', problem));
  };
}

function mapProblem(value: unknown): string | undefined {
  if (isRecord(value) || value === null) return undefined;
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
}

function type(errors: FieldError[], secret: Secret): void {
  const { type: name = '' } = secret;
  if (TYPES.has(name)) TYPES.get(name)!(errors, secret);
}

function immutableUpdate(errors: FieldError[], object: Secret, old: Secret): void {
  validateImmutable(errors, object.type ?? '', old.type ?? '', path('type'));
  if (!old.immutable) return;
  if (!object.immutable) errors.push(forbiddenField(path('immutable'), IMMUTABLE_WHEN_SET));
  if (!semanticEqual(object.data, old.data)) errors.push(forbiddenField(DATA, IMMUTABLE_WHEN_SET));
}

function tlsWarnings(warnings: string[], { type: name, data: values = {} }: Secret): void {
  if (name !== 'kubernetes.io/tls') return;
  const pem = (key: string): string => Buffer.from(values[key] ?? '', 'base64').toString('utf8');
  const problem = keyPairProblem(pem('tls.crt'), pem('tls.key'));
  if (problem !== undefined) warnings.push(problem);
}

export const secret: KindValidation<Secret> = {
  create: [metadata(RULES), data, type],
  update: [metadataUpdate, immutableUpdate, metadataAgain(RULES), data, type],
  warnings: [tlsWarnings],
};
