/**
 * Should we: what each write goes through after authorization. `admission.ts` is the contract and the chain; `plugins.ts` lists
 * the plugins in upstream's order and says which are on. A plugin is a file, or a folder where it is larger, under
 * upstream's name for it. What they share: `refuse.ts` (their 403), `kinds.ts` (which request it is), `derived.ts`
 * (values kept until an object changes), `pod-references.ts` (what a pod names).
 * Dynamic admission is in `webhook/` and `policy/`.
 */
export { AdmissionChain, type AdmissionAttributes, type AdmissionPlugin, type Operation } from './admission.ts';
export { AdmissionMetrics } from './admission-metrics.ts';
export { attributesOf, type AdmittedRequest } from './attributes.ts';
export { admissionPlugins, type AdmissionOptions } from './plugins.ts';
export { refuse } from './refuse.ts';
