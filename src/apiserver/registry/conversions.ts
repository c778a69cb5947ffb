/** Kinds that are served in several versions or groups but stored in one, and the conversions between them. */
import { apiVersionOf, type Resource, schema, type Schema } from '../../api/index.ts';
import { ownValue } from '../../base/index.ts';
import type { OtherVersions } from '../../machinery/apply/index.ts';
import { canonicalize } from '../../machinery/decode/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { ViewConversion } from '../storage/entry.ts';
import { autoscalerFromV2, autoscalerToV2 } from './convert-autoscaler.ts';
import { eventFromCore, eventToCore } from './convert-event.ts';

interface Conversion {
  readonly storedAs: { readonly group: string; readonly version: string; readonly plural: string };
  readonly fromStorage: ViewConversion;
  readonly toStorage: ViewConversion;
}

/** The converted object in the canonical form of its own version. */
function canonical(group: string, kind: string, convert: ViewConversion): ViewConversion {
  const message = schema.kind({ group, version: 'v1', kind })!;
  return (object) => {
    const { kind: _, apiVersion, ...fields } = convert(object);
    return { kind, apiVersion, ...canonicalize(message, fields) } as unknown as KubeObject;
  };
}

export const conversions: Record<string, Conversion | undefined> = {
  'events.k8s.io/v1/events': {
    storedAs: { group: '', version: 'v1', plural: 'events' },
    fromStorage: canonical('events.k8s.io', 'Event', eventFromCore),
    toStorage: canonical('', 'Event', eventToCore),
  },
  'autoscaling/v1/horizontalpodautoscalers': {
    storedAs: { group: 'autoscaling', version: 'v2', plural: 'horizontalpodautoscalers' },
    fromStorage: autoscalerFromV2,
    toStorage: autoscalerToV2,
  },
};

export function storedAs(all: Schema, resource: Resource): Resource {
  const version = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
  const target = ownValue(conversions, `${version}/${resource.plural}`)?.storedAs;
  return target ? all.resource(target.group, target.version, target.plural)! : resource;
}

/** The kind in the other version or group that serves it, for field managers that wrote there. */
export function otherVersions({ group, version, plural, kind }: Resource): OtherVersions | undefined {
  for (const [key, conversion] of Object.entries(conversions)) {
    const { storedAs: stored, fromStorage, toStorage } = conversion!;
    const storedVersion = apiVersionOf(stored);
    const shownVersion = key.slice(0, key.lastIndexOf('/'));
    if (plural !== stored.plural || ![storedVersion, shownVersion].includes(apiVersionOf({ group, version }))) continue;
    return (apiVersion) => {
      if (apiVersion !== storedVersion && apiVersion !== shownVersion) return undefined;
      const [otherGroup, otherVersion] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
      const message = schema.kind({ group: otherGroup!, version: otherVersion!, kind });
      const convert = apiVersion === storedVersion ? toStorage : fromStorage;
      return message && { message, convert: (object) => (object.apiVersion === apiVersion ? object : convert(object)) };
    };
  }
  return undefined;
}
