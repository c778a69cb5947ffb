/** The plugin PrioritySort: orders the queue by priority, then by the time a pod was added. */
import type { Plugin } from '../../framework/plugin.ts';

export function prioritySort(): Plugin {
  return {
    name: 'PrioritySort',
    less: (a, b) => a.priority > b.priority || (a.priority === b.priority && a.timestamp < b.timestamp),
  };
}
