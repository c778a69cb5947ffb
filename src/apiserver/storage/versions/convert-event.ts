/** events.k8s.io Events are core Events with other field names; the core form is stored. */
import type { KubeObject } from '../../../machinery/index.ts';

/** core/v1 name → events.k8s.io/v1 name. */
const RENAMED: Record<string, string> = {
  involvedObject: 'regarding',
  message: 'note',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  reportingComponent: 'reportingController',
};

const RENAMED_BACK: Record<string, string> = Object.fromEntries(
  Object.entries(RENAMED).map(([core, events]) => [events, core]),
);

export function eventFromCore(event: KubeObject): KubeObject {
  return { ...rename(event, RENAMED), apiVersion: 'events.k8s.io/v1' };
}

export function eventToCore(event: KubeObject): KubeObject {
  return { ...rename(event, RENAMED_BACK), apiVersion: 'v1' };
}

function rename(event: KubeObject, names: Record<string, string>): KubeObject {
  const renamed: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(event)) renamed[names[field] ?? field] = value;
  return renamed as KubeObject;
}
