/** replicationcontroller-controller: keeps spec.replicas pods of each ReplicationController. */
import type { ReplicationController } from '../../api/generated/core-v1.ts';
import type { ControllerDescriptor } from '../controller.ts';
import { labelsMatcherOf } from '../selector-matchers.ts';
import { replicaController } from './replicas.ts';

export const replicationControllerController: ControllerDescriptor = {
  name: 'replicationcontroller-controller',
  aliases: ['replicationcontroller'],
  eventSource: 'replication-controller',
  build: (context) =>
    replicaController(context, {
      resource: 'v1/replicationcontrollers',
      apiVersion: 'v1',
      kind: 'ReplicationController',
      queue: 'replicationmanager',
      countsTerminating: false,
      selectorOf: (owner) => labelsMatcherOf((owner as ReplicationController).spec?.selector),
    }),
};
