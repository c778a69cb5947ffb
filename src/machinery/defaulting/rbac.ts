/** Defaults of RBAC subjects. */
import type { Subject } from '../../api/generated/rbac-v1.ts';

export const defaultSubject = ({ apiGroup, kind }: Subject): Partial<Subject> =>
  !apiGroup && (kind === 'User' || kind === 'Group') ? { apiGroup: 'rbac.authorization.k8s.io' } : {};
