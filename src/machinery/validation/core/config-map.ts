/** Validation of ConfigMaps: keys, total size and immutability. */
import type { ConfigMap } from '../../../api/generated/core-v1.ts';
import { type FieldError, forbiddenField, invalidValue, path, tooLong, WHOLE_OBJECT } from '../../errors/index.ts';
import { base64Length, configMapKey, nameIsDnsSubdomain, utf8Length } from '../../names/index.ts';
import { semanticEqual } from '../equality.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataAgain, metadataUpdate } from '../metadata-checks.ts';

/** 1 MiB, also for Secrets. */
export const MAX_DATA_BYTES = 1024 * 1024;
export const IMMUTABLE_WHEN_SET = 'field is immutable when `immutable` is set';
const RULES = { namespaced: true, name: nameIsDnsSubdomain };

function data(errors: FieldError[], { data: texts = {}, binaryData = {} }: ConfigMap): void {
  let size = 0;
  for (const key in texts) {
    for (const message of configMapKey(key)) errors.push(invalidValue(path('data').key(key), key, message));
    if (Object.hasOwn(binaryData, key)) {
      errors.push(invalidValue(path('data').key(key), key, 'duplicate of key present in binaryData'));
    }
    size += utf8Length(texts[key]!);
  }
  for (const key in binaryData) {
    for (const message of configMapKey(key)) errors.push(invalidValue(path('binaryData').key(key), key, message));
    size += base64Length(binaryData[key]!);
  }
  if (size > MAX_DATA_BYTES) errors.push(tooLong(WHOLE_OBJECT, MAX_DATA_BYTES));
}

function immutableUpdate(errors: FieldError[], object: ConfigMap, old: ConfigMap): void {
  if (!old.immutable) return;
  if (!object.immutable) errors.push(forbiddenField(path('immutable'), IMMUTABLE_WHEN_SET));
  for (const name of ['data', 'binaryData'] as const) {
    if (!semanticEqual(object[name], old[name])) errors.push(forbiddenField(path(name), IMMUTABLE_WHEN_SET));
  }
}

export const configMap: KindValidation<ConfigMap> = {
  create: [metadata(RULES), data],
  update: [metadataUpdate, immutableUpdate, metadataAgain(RULES), data],
};
