/** The events.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const eventsV1: PackageDeclaration = {
  alias: 'events',
  group: 'events.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.events.v1',
  strings: {},
  messages: {
    Event: object('Reports something that happened in the cluster.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations.", {
        keep: true,
      }),
      eventTime: field(2, 'MicroTime', 'When it was first observed, to the microsecond.', {
        required: true,
        keep: true,
      }),
      series: field(3, '*EventSeries', 'Repetitions of the event, if any.'),
      reportingController: field(4, 'string', 'Name of the controller that reports, such as kubernetes.io/kubelet.'),
      reportingInstance: field(5, 'string', 'Which instance of the controller, at most 128 characters.'),
      action: field(6, 'string', 'What was done to the object, or failed, at most 128 characters.'),
      reason: field(7, 'string', 'Why, in one word, at most 128 characters.'),
      regarding: field(8, 'core.ObjectReference', 'The object that the event is about.'),
      related: field(9, '*core.ObjectReference', 'A second object that takes part.'),
      note: field(10, 'string', 'What happened, for people to read, at most 1 kB.'),
      type: field(11, 'string', 'Normal or Warning.'),
      deprecatedSource: field(12, 'core.EventSource', "The core Event's source."),
      deprecatedFirstTimestamp: field(13, 'Time', "The core Event's firstTimestamp."),
      deprecatedLastTimestamp: field(14, 'Time', "The core Event's lastTimestamp."),
      deprecatedCount: field(15, 'int32', "The core Event's count."),
    }),
    EventList: listOf('Event'),
    EventSeries: message('Repetitions of one event.', {
      count: field(1, 'int32', 'How often the event has occurred.', { required: true, keep: true }),
      lastObservedTime: field(2, 'MicroTime', 'When it was last seen.', { required: true, keep: true }),
    }),
  },
  kinds: [
    {
      kind: 'Event',
      plural: 'events',
      namespaced: true,
      shortNames: ['ev'],
      selectableFields: {
        'regarding.kind': 'regarding.kind',
        'regarding.namespace': 'regarding.namespace',
        'regarding.name': 'regarding.name',
        'regarding.uid': 'regarding.uid',
        'regarding.apiVersion': 'regarding.apiVersion',
        'regarding.resourceVersion': 'regarding.resourceVersion',
        'regarding.fieldPath': 'regarding.fieldPath',
        reason: 'reason',
        reportingController: 'reportingController',
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
  ],
};
