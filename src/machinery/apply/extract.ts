/** What a manager applied, read back from the object. */
import type { Message } from '../../api/index.ts';
import { isRecord } from '../../base/index.ts';
import type { KubeObject } from '../index.ts';
import { compileMessage } from './apply-type.ts';
import type { FieldSet } from './field-set.ts';
import { extractItems } from './remove-items.ts';

export interface Extraction {
  readonly object: KubeObject;
  readonly schemaMessage: Message;
  readonly manager: string;
  readonly subresource?: string;
}

/** Undefined when the manager has not applied to the object. */
export function extractApplied({
  object,
  schemaMessage,
  manager,
  subresource = '',
}: Extraction): Record<string, unknown> | undefined {
  const entry = object.metadata.managedFields?.find(
    (e) => e.manager === manager && e.operation === 'Apply' && (e.subresource ?? '') === subresource,
  );
  if (!entry) return undefined;
  const extracted = extractItems(compileMessage(schemaMessage), object, (entry.fieldsV1 ?? {}) as FieldSet);
  return { apiVersion: object.apiVersion, kind: object.kind, ...(isRecord(extracted) ? extracted : {}) };
}
