// Generated from src/api by `npm run generate`. Do not edit.
import type { EventSource, ObjectReference } from './core-v1.ts';
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

/**  */
export interface Event {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /**  */
  eventTime: string;
  /**  */
  series?: EventSeries;
  /**  */
  reportingController?: string;
  /**  */
  reportingInstance?: string;
  /**  */
  action?: string;
  /**  */
  reason?: string;
  /**  */
  regarding?: ObjectReference;
  /**  */
  related?: ObjectReference;
  /**  */
  note?: string;
  /**  */
  type?: string;
  /**  */
  deprecatedSource?: EventSource;
  /**  */
  deprecatedFirstTimestamp?: string;
  /**  */
  deprecatedLastTimestamp?: string;
  /**  */
  deprecatedCount?: number;
}

/** A list of Event objects. */
export interface EventList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Event[];
}

/**  */
export interface EventSeries {
  /**  */
  count: number;
  /**  */
  lastObservedTime: string;
}
