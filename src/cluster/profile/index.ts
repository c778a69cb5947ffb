/** Profiles: settings of all components that a benchmark or an environment asks for, under one name (`k8ts up --profile`). */
export { cisApiServer, CIS_CONTROLLER_MANAGER, CIS_KUBELET, PROFILES, type Profile } from './cis.ts';
export { CIS_AUDIT_POLICY } from './audit-policy.ts';
