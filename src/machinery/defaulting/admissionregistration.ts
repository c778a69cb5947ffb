import type { LabelSelector } from '../../api/generated/meta-v1.ts';
import type { ParamRef } from '../../api/generated/admissionregistration-v1.ts';

/** Webhooks and policies select everything unless told otherwise. */
export function defaultSelectors(draft: { namespaceSelector?: LabelSelector; objectSelector?: LabelSelector }): void {
  draft.namespaceSelector ??= {};
  draft.objectSelector ??= {};
}

export function defaultParamRef(draft: ParamRef): void {
  draft.parameterNotFoundAction ??= 'Deny';
}
