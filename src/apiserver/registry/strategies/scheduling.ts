import type { PriorityClass } from '../../../api/generated/scheduling-v1.ts';
import { forbidden } from '../../../machinery/errors/index.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';

const SYSTEM_CLASSES = ['system-node-critical', 'system-cluster-critical'];

export const priorityClasses: Strategy<ObjectOf<PriorityClass>> = {
  // Nothing of it may change but its description, which does not count.
  generationChanges: () => false,
  prepareForDelete({ metadata: { name = '' } }, { groupResource }) {
    if (SYSTEM_CLASSES.includes(name))
      throw forbidden(groupResource, name, 'this is a system priority class and cannot be deleted');
  },
};
