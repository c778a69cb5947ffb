import type { Plugin } from '../../framework/plugin.ts';

/** The more important pod first; among equals, the one that has waited longer. */
export function prioritySort(): Plugin {
  return {
    name: 'PrioritySort',
    less: (a, b) => a.priority > b.priority || (a.priority === b.priority && a.timestamp < b.timestamp),
  };
}
