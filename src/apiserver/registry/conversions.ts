/** Kinds that are served in several versions or groups but kept in one form, and how the others are made of it. */
import type { Resource, Schema } from '../../api/schema.ts';
import type { ViewConversion } from '../storage/entry.ts';
import { eventFromCore, eventToCore } from './convert-event.ts';
import { autoscalerFromV2, autoscalerToV2 } from './convert-autoscaler.ts';

interface Conversion {
  readonly storedAs: { readonly group: string; readonly version: string; readonly plural: string };
  readonly fromStorage: ViewConversion;
  readonly toStorage: ViewConversion;
}

export const conversions: Record<string, Conversion | undefined> = {
  'events.k8s.io/v1/events': {
    storedAs: { group: '', version: 'v1', plural: 'events' },
    fromStorage: eventFromCore,
    toStorage: eventToCore,
  },
  'autoscaling/v1/horizontalpodautoscalers': {
    storedAs: { group: 'autoscaling', version: 'v2', plural: 'horizontalpodautoscalers' },
    fromStorage: autoscalerFromV2,
    toStorage: autoscalerToV2,
  },
};

export function storedAs(schema: Schema, resource: Resource): Resource {
  const version = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
  const target = conversions[`${version}/${resource.plural}`]?.storedAs;
  return target ? schema.resource(target.group, target.version, target.plural)! : resource;
}
