// Generated from src/api by `npm run generate`. Do not edit.
import type { EventSource, ObjectReference } from './core-v1.ts';
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

/** Reports something that happened in the cluster. */
export interface Event {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** When it was first observed, to the microsecond. */
  eventTime: string;
  /** Repetitions of the event, if any. */
  series?: EventSeries;
  /** Name of the controller that reports, such as kubernetes.io/kubelet. */
  reportingController?: string;
  /** Which instance of the controller, at most 128 characters. */
  reportingInstance?: string;
  /** What was done to the object, or failed, at most 128 characters. */
  action?: string;
  /** Why, in one word, at most 128 characters. */
  reason?: string;
  /** The object that the event is about. */
  regarding?: ObjectReference;
  /** A second object that takes part. */
  related?: ObjectReference;
  /** What happened, for people to read, at most 1 kB. */
  note?: string;
  /** Normal or Warning. */
  type?: string;
  /** The core Event's source. */
  deprecatedSource?: EventSource;
  /** The core Event's firstTimestamp. */
  deprecatedFirstTimestamp?: string;
  /** The core Event's lastTimestamp. */
  deprecatedLastTimestamp?: string;
  /** The core Event's count. */
  deprecatedCount?: number;
}

/** A list of Event objects. */
export interface EventList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Event[];
}

/** Repetitions of one event. */
export interface EventSeries {
  /** How often the event has occurred. */
  count: number;
  /** When it was last seen. */
  lastObservedTime: string;
}
