/**
 * The audit policy of the profile `cis`: who did what to which object, and the contents of RBAC objects. No other content is
 * logged: Secrets, ConfigMaps, environment variables and custom resources may have passwords in them.
 */
export const CIS_AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
# Health and discovery, which anybody asks for all the time.
- level: None
  nonResourceURLs: [/healthz*, /livez*, /readyz*, /version, /openapi/*, /api, /api/*, /apis, /apis/*]
# What components read and renew by themselves.
- level: None
  users: ["system:kube-scheduler", "system:kube-controller-manager", "system:kube-proxy", "system:apiserver", "system:k8ts"]
  verbs: [get, list, watch]
- level: None
  userGroups: ["system:nodes", "system:serviceaccounts:kube-system"]
  verbs: [get, list, watch]
- level: None
  resources:
  - group: coordination.k8s.io
    resources: [leases]
  - group: ""
    resources: [events]
  - group: events.k8s.io
    resources: [events]
# Who may do what changes rarely and matters most.
- level: RequestResponse
  verbs: [create, update, patch, delete, deletecollection]
  resources:
  - group: rbac.authorization.k8s.io
  omitManagedFields: true
# Everything else, Secrets, tokens, exec, attach and port-forward among it: without contents.
- level: Metadata
`;
