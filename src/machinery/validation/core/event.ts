/**
 * Validation of Events of the core group and of events.k8s.io. Both are validated in the form of the core group:
 * leniently through v1, strictly through events.k8s.io.
 */
import type { Event as CoreEvent, EventSource, ObjectReference } from '../../../api/generated/core-v1.ts';
import type { Event as EventsEvent } from '../../../api/generated/events-v1.ts';
import { type FieldError, invalidValue, path, required } from '../../errors/index.ts';
import {
  dns1123Subdomain,
  IMMUTABLE_MESSAGE,
  nameIsDnsSubdomain,
  qualifiedName,
  utf8Longer,
} from '../../names/index.ts';
import { semanticEqual } from '../equality.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../object-meta.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const TEXT_MAX = 128;
const NOTE_MAX = 1024;

/** An event of either group in the form of the core group. */
interface AnyEvent {
  readonly metadata: CoreEvent['metadata'];
  readonly involvedObject: ObjectReference;
  readonly reason: string;
  readonly message: string;
  readonly source: EventSource;
  readonly firstTimestamp: string | undefined;
  readonly lastTimestamp: string | undefined;
  readonly count: number;
  readonly type: string;
  readonly eventTime: string | undefined;
  readonly series: { readonly count?: number; readonly lastObservedTime?: string } | undefined;
  readonly action: string;
  readonly related: ObjectReference | undefined;
  readonly reportingController: string;
  readonly reportingInstance: string;
}

const ofCore = (event: CoreEvent): AnyEvent => ({
  metadata: event.metadata ?? {},
  involvedObject: event.involvedObject ?? {},
  reason: event.reason ?? '',
  message: event.message ?? '',
  source: event.source ?? {},
  firstTimestamp: event.firstTimestamp ?? undefined,
  lastTimestamp: event.lastTimestamp ?? undefined,
  count: event.count ?? 0,
  type: event.type ?? '',
  eventTime: event.eventTime ?? undefined,
  series: event.series,
  action: event.action ?? '',
  related: event.related,
  reportingController: event.reportingComponent ?? '',
  reportingInstance: event.reportingInstance ?? '',
});

const ofEvents = (event: EventsEvent): AnyEvent => ({
  metadata: event.metadata ?? {},
  involvedObject: event.regarding ?? {},
  reason: event.reason ?? '',
  message: event.note ?? '',
  source: event.deprecatedSource ?? {},
  firstTimestamp: event.deprecatedFirstTimestamp ?? undefined,
  lastTimestamp: event.deprecatedLastTimestamp ?? undefined,
  count: event.deprecatedCount ?? 0,
  type: event.type ?? '',
  eventTime: event.eventTime ?? undefined,
  series: event.series,
  action: event.action ?? '',
  related: event.related,
  reportingController: event.reportingController ?? '',
  reportingInstance: event.reportingInstance ?? '',
});

function validateLegacy(errors: FieldError[], event: AnyEvent, controllerField: string): void {
  const namespace = event.metadata.namespace ?? '';
  const involved = event.involvedObject.namespace ?? '';
  const mismatch = (): void => {
    errors.push(invalidValue(path('involvedObject', 'namespace'), involved, 'does not match event.namespace'));
  };
  if (event.eventTime === undefined) {
    const agrees = involved === '' ? namespace === '' || namespace === 'default' : namespace === involved;
    if (!agrees) mismatch();
  } else {
    if (involved === '' && namespace !== 'default' && namespace !== 'kube-system') mismatch();
    validateNewFields(errors, event, controllerField);
  }
  for (const message of dns1123Subdomain(namespace)) errors.push(invalidValue(path('namespace'), namespace, message));
}

/** Events with an eventTime must also have the newer fields: reportingController, reportingInstance and action. */
function validateNewFields(errors: FieldError[], event: AnyEvent, controllerField: string): void {
  const controller = path(controllerField);
  if (event.reportingController === '') errors.push(required(controller));
  for (const message of qualifiedName(event.reportingController))
    errors.push(invalidValue(controller, event.reportingController, message));
  for (const name of ['reportingInstance', 'action', 'reason'] as const) {
    if (event[name] === '') errors.push(required(path(name)));
    if (utf8Longer(event[name], TEXT_MAX))
      errors.push(invalidValue(path(name), '', `can have at most ${TEXT_MAX} characters`));
  }
  if (utf8Longer(event.message, NOTE_MAX))
    errors.push(invalidValue(path('message'), '', `can have at most ${NOTE_MAX} characters`));
}

function validateSeries(errors: FieldError[], { series }: AnyEvent): void {
  if (!series) return;
  if ((series.count ?? 0) < 2) errors.push(invalidValue(path('series.count'), '', 'should be at least 2'));
  if (!series.lastObservedTime) errors.push(required(path('series.lastObservedTime')));
}

function validateStrict(errors: FieldError[], event: AnyEvent): void {
  validateObjectMeta(errors, event.metadata, RULES);
  validateSeries(errors, event);
  if (event.eventTime === undefined) errors.push(required(path('eventTime')));
  if (event.type !== 'Normal' && event.type !== 'Warning')
    errors.push(invalidValue(path('type'), '', `has invalid value: ${event.type}`));
  const unset = 'needs to be unset';
  if (event.firstTimestamp !== undefined) errors.push(invalidValue(path('firstTimestamp'), '', unset));
  if (event.lastTimestamp !== undefined) errors.push(invalidValue(path('lastTimestamp'), '', unset));
  if (event.count !== 0) errors.push(invalidValue(path('count'), '', unset));
  if (event.source.component || event.source.host) errors.push(invalidValue(path('source'), '', unset));
}

/** In upstream's order, which has reason twice. */
const IMMUTABLE = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingController',
  'reportingInstance',
] as const;

function validateStrictUpdate(errors: FieldError[], event: AnyEvent, old: AnyEvent): void {
  validateObjectMetaUpdate(errors, event.metadata, old.metadata);
  if (!semanticEqual(event.series, old.series)) validateSeries(errors, event);
  for (const name of IMMUTABLE) {
    if (!semanticEqual(event[name], old[name]))
      errors.push(invalidValue(path(name), shown(name, event), IMMUTABLE_MESSAGE));
  }
}

function shown(name: (typeof IMMUTABLE)[number], event: AnyEvent): unknown {
  if (name === 'source') return goStruct('io.k8s.api.core.v1.EventSource', event.source);
  if (name === 'involvedObject' || name === 'related') {
    return event[name] ? goStruct('io.k8s.api.core.v1.ObjectReference', event[name]) : null;
  }
  return event[name];
}

export const coreEvent: KindValidation<CoreEvent> = {
  create: [(errors, event) => validateLegacy(errors, ofCore(event), 'reportingComponent')],
  update: [(errors, event) => validateLegacy(errors, ofCore(event), 'reportingComponent')],
};

export const eventsEvent: KindValidation<EventsEvent> = {
  create: [
    (errors, event) => validateLegacy(errors, ofEvents(event), 'reportingController'),
    (errors, event) => validateStrict(errors, ofEvents(event)),
  ],
  update: [
    (errors, event) => validateLegacy(errors, ofEvents(event), 'reportingController'),
    (errors, event, old) => validateStrictUpdate(errors, ofEvents(event), ofEvents(old)),
  ],
};
