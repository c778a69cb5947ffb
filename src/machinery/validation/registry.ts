/** The validation of every kind, by `group/plural`, or by `group/version/plural` if versions differ. */
import * as core from './core/index.ts';
import { groupBodies, groupValidations } from './group-validations.ts';
import type { KindValidation } from './kind-validation.ts';

export const validations: Readonly<Record<string, KindValidation>> = {
  '/bindings': core.binding,
  '/configmaps': core.configMap,
  '/endpoints': core.endpoints,
  '/events': core.coreEvent,
  '/limitranges': core.limitRange,
  '/namespaces': core.namespace,
  '/nodes': core.node,
  '/persistentvolumeclaims': core.persistentVolumeClaim,
  '/persistentvolumes': core.persistentVolume,
  '/pods': core.pod,
  '/podtemplates': core.podTemplate,
  '/replicationcontrollers': core.replicationController,
  '/resourcequotas': core.resourceQuota,
  '/secrets': core.secret,
  '/serviceaccounts': core.serviceAccount,
  '/services': core.service,
  'events.k8s.io/events': core.eventsEvent,
  ...groupValidations,
};

/** Bodies of subresources that are objects of another kind. */
export const bodyValidations: Readonly<Record<string, KindValidation>> = {
  Binding: core.binding,
  ...groupBodies,
};
