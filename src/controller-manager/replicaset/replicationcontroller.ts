/** replicationcontroller-controller: keeps the number of pods that each ReplicationController asks for. */
import type { ReplicationController } from '../../api/generated/core-v1.ts';
import { NOTHING, selectorFromLabels } from '../../machinery/selectors/index.ts';
import type { ControllerDescriptor } from '../controller.ts';
import { replicaLoop } from './replicas.ts';

export const replicationControllerController: ControllerDescriptor = {
  name: 'replicationcontroller-controller',
  aliases: ['replicationcontroller'],
  eventSource: 'replication-controller',
  build: (context) =>
    replicaLoop(context, {
      resource: 'v1/replicationcontrollers',
      apiVersion: 'v1',
      kind: 'ReplicationController',
      queue: 'replicationmanager',
      countsTerminating: false,
      selectorOf: (owner) => {
        const { selector = {} } = (owner as ReplicationController).spec ?? {};
        return Object.keys(selector).length === 0 ? NOTHING : selectorFromLabels(selector);
      },
    }),
};
