/** The events.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const eventsV1: PackageDeclaration = {
  alias: 'events',
  group: 'events.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.events.v1',
  strings: {
  },
  messages: {
    Event: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.', { keep: true }),
      eventTime: field(2, 'MicroTime', '', { required: true, keep: true }),
      series: field(3, '*EventSeries', ''),
      reportingController: field(4, 'string', ''),
      reportingInstance: field(5, 'string', ''),
      action: field(6, 'string', ''),
      reason: field(7, 'string', ''),
      regarding: field(8, 'core.ObjectReference', ''),
      related: field(9, '*core.ObjectReference', ''),
      note: field(10, 'string', ''),
      type: field(11, 'string', ''),
      deprecatedSource: field(12, 'core.EventSource', ''),
      deprecatedFirstTimestamp: field(13, 'Time', ''),
      deprecatedLastTimestamp: field(14, 'Time', ''),
      deprecatedCount: field(15, 'int32', ''),
    }),
    EventList: listOf('Event'),
    EventSeries: message('', {
      count: field(1, 'int32', '', { required: true, keep: true }),
      lastObservedTime: field(2, 'MicroTime', '', { required: true, keep: true }),
    }),
  },
  kinds: [
    {
      kind: 'Event',
      plural: 'events',
      singular: 'event',
      namespaced: true,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['ev'],
      selectableFields: {
        'regarding.kind': 'regarding.kind',
        'regarding.namespace': 'regarding.namespace',
        'regarding.name': 'regarding.name',
        'regarding.uid': 'regarding.uid',
        'regarding.apiVersion': 'regarding.apiVersion',
        'regarding.resourceVersion': 'regarding.resourceVersion',
        'regarding.fieldPath': 'regarding.fieldPath',
        'reason': 'reason',
        'reportingController': 'reportingController',
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
  ],
};
