/** The scheduling.k8s.io group, v1. */
import { column, field, listOf, object, type PackageDeclaration } from '../declare.ts';

export const schedulingV1: PackageDeclaration = {
  alias: 'scheduling',
  group: 'scheduling.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.scheduling.v1',
  strings: {},
  messages: {
    PriorityClass: object('A named priority for Pods.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      value: field(2, 'int32', 'The priority; higher goes first; fixed.', { keep: true }),
      globalDefault: field(3, 'bool', 'Whether Pods without a class get this one; default false.'),
      description: field(4, 'string', 'What the class is for.'),
      preemptionPolicy: field(5, '*core.PreemptionPolicy', 'PreemptLowerPriority (default) or Never.', {
        default: 'PreemptLowerPriority',
      }),
    }),
    PriorityClassList: listOf('PriorityClass'),
  },
  kinds: [
    {
      kind: 'PriorityClass',
      plural: 'priorityclasses',
      namespaced: false,
      shortNames: ['pc'],
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Value', 'integer'),
        column('Global-Default', 'boolean'),
        column('Age', 'string'),
        column('PreemptionPolicy', 'string'),
      ],
    },
  ],
};
