/** replicaset-controller: keeps spec.replicas pods of each ReplicaSet. */
import type { ReplicaSet } from '../../api/generated/apps-v1.ts';
import type { ControllerDescriptor } from '../controller.ts';
import { matcherOf } from '../selector-matchers.ts';
import { replicaController } from './replicas.ts';

export const replicaSetController: ControllerDescriptor = {
  name: 'replicaset-controller',
  aliases: ['replicaset'],
  build: (context) =>
    replicaController(context, {
      resource: 'apps/v1/replicasets',
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      queue: 'replicaset',
      countsTerminating: true,
      selectorOf: (owner) => matcherOf((owner as ReplicaSet).spec?.selector),
    }),
};
