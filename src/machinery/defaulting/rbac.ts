import type { Subject } from '../../api/generated/rbac-v1.ts';

export function defaultSubject(draft: Subject): void {
  if (!draft.apiGroup && (draft.kind === 'User' || draft.kind === 'Group')) draft.apiGroup = 'rbac.authorization.k8s.io';
}
