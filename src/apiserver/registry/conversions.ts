/** Kinds that are served in several versions or groups but stored in one, and the conversions between them. */
import { apiVersionOf, type Resource, schema, type Schema } from '../../api/index.ts';
import { deepEqual, ownValue } from '../../base/index.ts';
import type { OtherVersions } from '../../machinery/apply/index.ts';
import { canonicalize } from '../../machinery/decode/index.ts';
import { devicesFromV1, devicesToV1, type KubeObject } from '../../machinery/index.ts';
import type { ViewConversion } from '../storage/entry.ts';
import { autoscalerFromV2, autoscalerToV2 } from '../storage/versions/convert-autoscaler.ts';
import { eventFromCore, eventToCore } from '../storage/versions/convert-event.ts';

interface Place {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

interface Conversion {
  readonly storedAs: Place;
  readonly fromStorage: ViewConversion;
  readonly toStorage: ViewConversion;
  /** The version differs, and the fields do not. */
  readonly sameFields?: true;
  /** The stored object of a view, for tables of kinds whose views lose what their cells show. */
  readonly printed?: ViewConversion;
}

/** The converted object in the canonical form of its own version. */
function canonical(group: string, kind: string, convert: ViewConversion): ViewConversion {
  const message = schema.kind({ group, version: 'v1', kind })!;
  return (object) => {
    const { kind: _, apiVersion, ...fields } = convert(object);
    return { kind, apiVersion, ...canonicalize(message, fields) } as unknown as KubeObject;
  };
}

/** The same fields under another apiVersion. */
const renamed =
  (apiVersion: string): ViewConversion =>
  (object) => ({ ...object, apiVersion });

interface Views {
  readonly group: string;
  /** The versions that are views of the stored one. */
  readonly versions: readonly string[];
  readonly stored: string;
  readonly plurals: readonly string[];
  /** For versions whose fields differ. */
  readonly fields?: { readonly fromStorage: ViewConversion; readonly toStorage: ViewConversion };
}

const viewsOf = ({ group, versions, stored, plurals, fields }: Views): [string, Conversion][] =>
  versions.flatMap((version) => {
    const [shown, kept] = [renamed(`${group}/${version}`), renamed(`${group}/${stored}`)];
    return plurals.map((plural): [string, Conversion] => [
      `${group}/${version}/${plural}`,
      {
        storedAs: { group, version: stored, plural },
        fromStorage: fields ? (object) => shown(fields.fromStorage(object)) : shown,
        toStorage: fields ? (object) => kept(fields.toStorage(object)) : kept,
        ...(fields ? {} : { sameFields: true }),
      },
    ]);
  });

const DEVICES = { group: 'resource.k8s.io', stored: 'v1' };

/** By the spec of the view that they were converted to. */
const storedMetrics = new WeakMap<object, readonly unknown[]>();

const metricsOf = (autoscaler: KubeObject): readonly unknown[] =>
  (autoscaler['spec'] as { metrics?: readonly unknown[] } | undefined)?.metrics ?? [];
const sortedTexts = (metrics: readonly unknown[]): string[] => metrics.map((one) => JSON.stringify(one)).sort();

export const conversions: Record<string, Conversion | undefined> = {
  'events.k8s.io/v1/events': {
    storedAs: { group: '', version: 'v1', plural: 'events' },
    fromStorage: canonical('events.k8s.io', 'Event', eventFromCore),
    toStorage: canonical('', 'Event', eventToCore),
  },
  'autoscaling/v1/horizontalpodautoscalers': {
    storedAs: { group: 'autoscaling', version: 'v2', plural: 'horizontalpodautoscalers' },
    fromStorage: (stored) => {
      const view = autoscalerFromV2(stored);
      storedMetrics.set(view['spec'] as object, metricsOf(stored));
      return view;
    },
    toStorage: autoscalerToV2,
    // The view has the CPU utilization apart, and no longer its place among the metrics.
    printed(view) {
      const converted = autoscalerToV2(view);
      const [metrics, before] = [metricsOf(converted), storedMetrics.get(view['spec'] as object) ?? []];
      const inOrder = deepEqual(sortedTexts(metrics), sortedTexts(before)) ? before : metrics;
      return { ...converted, spec: { ...(converted['spec'] as object), metrics: inOrder } };
    },
  },
  ...Object.fromEntries([
    ...viewsOf({
      group: 'admissionregistration.k8s.io',
      versions: ['v1beta1', 'v1alpha1'],
      stored: 'v1',
      plurals: ['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'],
    }),
    ...viewsOf({
      group: 'admissionregistration.k8s.io',
      versions: ['v1beta1'],
      stored: 'v1',
      plurals: ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
    }),
    ...viewsOf({
      group: 'certificates.k8s.io',
      versions: ['v1alpha1'],
      stored: 'v1beta1',
      plurals: ['clustertrustbundles'],
    }),
    ...viewsOf({
      group: 'coordination.k8s.io',
      versions: ['v1alpha2'],
      stored: 'v1beta1',
      plurals: ['leasecandidates'],
    }),
    ...viewsOf({
      group: 'networking.k8s.io',
      versions: ['v1beta1'],
      stored: 'v1',
      plurals: ['ipaddresses', 'servicecidrs'],
    }),
    ...viewsOf({
      ...DEVICES,
      versions: ['v1beta2'],
      plurals: ['deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices'],
    }),
    ...viewsOf({ ...DEVICES, versions: ['v1beta1'], plurals: ['deviceclasses'] }),
    ...viewsOf({
      ...DEVICES,
      versions: ['v1beta1'],
      plurals: ['resourceclaims', 'resourceclaimtemplates', 'resourceslices'],
      fields: { fromStorage: devicesFromV1, toStorage: devicesToV1 },
    }),
    ...viewsOf({ ...DEVICES, versions: ['v1beta2'], stored: 'v1alpha3', plurals: ['devicetaintrules'] }),
    ...viewsOf({
      group: 'storage.k8s.io',
      versions: ['v1beta1'],
      stored: 'v1',
      plurals: ['volumeattributesclasses'],
    }),
  ]),
};

export function storedAs(all: Schema, resource: Resource): Resource {
  const target = ownValue(conversions, keyOf(resource))?.storedAs;
  return target ? all.resource(target.group, target.version, target.plural)! : resource;
}

/** The other versions of a stored kind that have the same fields. */
export const sameFieldVersions = (stored: Place): string[] =>
  Object.entries(conversions).flatMap(([key, conversion]) =>
    conversion!.sameFields && keyOf(conversion!.storedAs) === keyOf(stored) ? [key.split('/')[1]!] : [],
  );

const keyOf = (place: Place): string => `${apiVersionOf(place)}/${place.plural}`;

/** The kind in the other versions or groups that serve it, for field managers that wrote there. */
export function otherVersions(resource: Resource): OtherVersions | undefined {
  const stored = ownValue(conversions, keyOf(resource))?.storedAs ?? resource;
  const storedKey = keyOf(stored);
  const views = new Map<string, Conversion>();
  for (const [key, conversion] of Object.entries(conversions))
    if (keyOf(conversion!.storedAs) === storedKey) views.set(key.slice(0, key.lastIndexOf('/')), conversion!);
  if (views.size === 0) return undefined;
  const storedVersion = apiVersionOf(stored);
  const toStored = (object: KubeObject): KubeObject => views.get(object.apiVersion)?.toStorage(object) ?? object;
  return (apiVersion) => {
    const view = views.get(apiVersion);
    if (!view && apiVersion !== storedVersion) return undefined;
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const message = schema.kind({ group: group!, version: version!, kind: resource.kind });
    const convert = (object: KubeObject): KubeObject => {
      if (object.apiVersion === apiVersion) return object;
      return view ? view.fromStorage(toStored(object)) : toStored(object);
    };
    return message && { message, convert };
  };
}
