/** Events. */
import {
  column,
  field,
  listOf,
  message,
  object,
  type KindDeclaration,
  type MessageDeclarations,
} from '../../declare.ts';

export const messages = {
  Event: object('Reports something that happened in the cluster.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations.", {
      required: true,
      keep: true,
    }),
    involvedObject: field(2, 'ObjectReference', 'The object that the event is about.', { required: true, keep: true }),
    reason: field(3, 'string', 'One CamelCase word on why the event was made.'),
    message: field(4, 'string', 'What happened, for people to read.'),
    source: field(5, 'EventSource', 'The component that reports the event.'),
    firstTimestamp: field(6, 'Time', 'When it happened first.'),
    lastTimestamp: field(7, 'Time', 'When it happened last.'),
    count: field(8, 'int32', 'How often it has happened.'),
    type: field(9, 'string', 'Normal or Warning.'),
    eventTime: field(10, 'MicroTime', 'When it was first observed, to the microsecond.'),
    series: field(11, '*EventSeries', 'Repetitions of the event, if any.'),
    action: field(12, 'string', 'What was done to the object, or failed.'),
    related: field(13, '*ObjectReference', 'A second object that takes part.'),
    reportingComponent: field(14, 'string', 'Name of the controller that reports, such as kubernetes.io/kubelet.', {
      keep: true,
    }),
    reportingInstance: field(15, 'string', 'Which instance of the controller, such as its Pod.', { keep: true }),
  }),
  EventList: listOf('Event'),
  EventSeries: message('Repetitions of one event.', {
    count: field(1, 'int32', 'How often the event has occurred.'),
    lastObservedTime: field(2, 'MicroTime', 'When it was last seen.'),
  }),
  EventSource: message('The component that reports an event.', {
    component: field(1, 'string', 'Name of the component.'),
    host: field(2, 'string', 'Node of the component.'),
  }),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'Event',
    plural: 'events',
    namespaced: true,
    shortNames: ['ev'],
    selectableFields: {
      'involvedObject.kind': 'involvedObject.kind',
      'involvedObject.namespace': 'involvedObject.namespace',
      'involvedObject.name': 'involvedObject.name',
      'involvedObject.uid': 'involvedObject.uid',
      'involvedObject.apiVersion': 'involvedObject.apiVersion',
      'involvedObject.resourceVersion': 'involvedObject.resourceVersion',
      'involvedObject.fieldPath': 'involvedObject.fieldPath',
      reason: 'reason',
      reportingComponent: 'reportingComponent',
      source: 'source.component|reportingComponent',
      type: 'type',
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
