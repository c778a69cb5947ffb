/** Core kinds of configuration: ConfigMaps, Secrets, accounts, limits, events and the like. */
import type {
  LimitRange,
  PodTemplate,
  ReplicationController,
  Secret,
  ServiceAccount,
} from '../../../api/generated/core-v1.ts';
import { deepEqual } from '../../../base/index.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';
import { specChanges } from './spec-generation.ts';

export const events: Strategy = { allowCreateOnUpdate: true, ttlSeconds: 3600, defaultPropagation: 'Unsupported' };

export const endpoints: Strategy = {
  allowCreateOnUpdate: true,
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};

export const componentStatuses: Strategy = { deprecation: 'v1 ComponentStatus is deprecated in v1.19+' };

export const limitRanges: Strategy<ObjectOf<LimitRange>> = {
  allowCreateOnUpdate: true,
  prepareForCreate({ metadata }, { ctx }) {
    metadata.name ||= ctx.random.uid();
  },
};

export const resourceQuotas: Strategy = { deleteReturnsObject: true };

export const secrets: Strategy<ObjectOf<Secret>> = {
  prepareForUpdate(secret, old) {
    if (!secret.type && old.type) secret.type = old.type;
  },
};

export const serviceAccounts: Strategy<ObjectOf<ServiceAccount>> = {
  deleteReturnsObject: true,
  prepareForCreate: keepOnlyNames,
  prepareForUpdate: keepOnlyNames,
};

/** A secret reference keeps its name only. */
function keepOnlyNames(account: ServiceAccount): void {
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name ? { name } : {}));
}

export const podTemplates: Strategy<ObjectOf<PodTemplate>> = {
  deleteReturnsObject: true,
  generationChanges: (object, old) => !deepEqual(object.template, old.template),
};

export const replicationControllers: Strategy<ObjectOf<ReplicationController>> = {
  defaultPropagation: 'Orphan',
  generationChanges: specChanges,
  prepareForCreate(controller) {
    controller.status = { replicas: 0 };
  },
};
