/** Validation of the core group, one file per kind or part of a kind. `pod/pod.ts` ties the files for pods together. */
export { configMap } from './config-map.ts';
export { coreEvent, eventsEvent } from './event.ts';
export { limitRange } from './limit-range.ts';
export { namespace } from './namespace.ts';
export { node } from './node/node.ts';
export { binding } from './pod/binding.ts';
export { podTemplate } from './pod/pod-template.ts';
export { pod } from './pod/pod.ts';
export { replicationController } from './replication-controller.ts';
export { resourceQuota } from './resource-quota.ts';
export { secret } from './secret.ts';
export { serviceAccount } from './service-account.ts';
export { endpoints } from './service/endpoints.ts';
export { service } from './service/service.ts';
export { persistentVolumeClaim } from './volume/persistent-volume-claim.ts';
export { persistentVolume } from './volume/persistent-volume.ts';
