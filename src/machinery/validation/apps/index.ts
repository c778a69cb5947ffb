/** Validation of the apps group: the workloads that keep pods running, and their recorded revisions. */
import type { KindValidation } from '../kind-validation.ts';
import { controllerRevision } from './controller-revision.ts';
import { daemonSet } from './daemon-set.ts';
import { deployment } from './deployment.ts';
import { replicaSet } from './replica-set.ts';
import { statefulSet } from './stateful-set.ts';

export const appsValidations: Readonly<Record<string, KindValidation>> = {
  'apps/controllerrevisions': controllerRevision,
  'apps/daemonsets': daemonSet,
  'apps/deployments': deployment,
  'apps/replicasets': replicaSet,
  'apps/statefulsets': statefulSet,
};
