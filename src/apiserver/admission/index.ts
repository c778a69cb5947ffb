/**
 * Admission control: every write passes the admission plugins after authorization. `admission.ts` has the contract of a
 * plugin and the chain that runs them; `plugins.ts` lists the plugins in upstream's admission order and says which are on
 * by default. A plugin is a file, or a folder if it is larger, under upstream's name: ResourceQuota is in `resource-quota/`,
 * NodeRestriction in `node-restriction/`. Plugins share `new-forbidden.ts` (their 403), `request-objects.ts` (the request's
 * resource and objects), `derived.ts` (values computed from the watch cache) and `pod-references.ts`.
 * Dynamic admission is in `webhook/` (admission webhooks) and `policy/` (ValidatingAdmissionPolicy, MutatingAdmissionPolicy).
 */
