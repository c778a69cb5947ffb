/** Events. */
import { column, field, listOf, message, object, type KindDeclaration, type MessageDeclarations } from '../../declare.ts';

export const messages = {
  Event: object('', {
    metadata: field(1, 'meta.ObjectMeta', '', { required: true, keep: true }),
    involvedObject: field(2, 'ObjectReference', '', { required: true, keep: true }),
    reason: field(3, 'string', ''),
    message: field(4, 'string', ''),
    source: field(5, 'EventSource', ''),
    firstTimestamp: field(6, 'Time', ''),
    lastTimestamp: field(7, 'Time', ''),
    count: field(8, 'int32', ''),
    type: field(9, 'string', ''),
    eventTime: field(10, 'MicroTime', ''),
    series: field(11, '*EventSeries', ''),
    action: field(12, 'string', ''),
    related: field(13, '*ObjectReference', ''),
    reportingComponent: field(14, 'string', '', { keep: true }),
    reportingInstance: field(15, 'string', '', { keep: true }),
  }),
  EventList: listOf('Event'),
  EventSeries: message('', {
    count: field(1, 'int32', ''),
    lastObservedTime: field(2, 'MicroTime', ''),
  }),
  EventSource: message('', {
    component: field(1, 'string', ''),
    host: field(2, 'string', ''),
  }),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'Event',
    plural: 'events',
    singular: 'event',
    namespaced: true,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['ev'],
    selectableFields: {
      'involvedObject.kind': 'involvedObject.kind',
      'involvedObject.namespace': 'involvedObject.namespace',
      'involvedObject.name': 'involvedObject.name',
      'involvedObject.uid': 'involvedObject.uid',
      'involvedObject.apiVersion': 'involvedObject.apiVersion',
      'involvedObject.resourceVersion': 'involvedObject.resourceVersion',
      'involvedObject.fieldPath': 'involvedObject.fieldPath',
      'reason': 'reason',
      'reportingComponent': 'reportingComponent',
      'source': 'source.component',
      'type': 'type',
    },
    columns: [
      column('Last Seen', 'string'),
      column('Type', 'string'),
      column('Reason', 'string'),
      column('Object', 'string'),
      column('Subobject', 'string', 1),
      column('Source', 'string', 1),
      column('Message', 'string'),
      column('First Seen', 'string', 1),
      column('Count', 'string', 1),
      column('Name', 'string', 1, 'name'),
    ],
  },
];
