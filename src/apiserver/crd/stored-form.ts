/**
 * How the versions of a custom kind are views of what is stored. Reading brings a stored object into the form of the
 * version that it was stored in (its schema may have changed since: defaults are filled in, fields that are no longer
 * known are left out), then converts it; writing converts it to the version that is stored. A conversion leaves only
 * what the schema of the version that it leads to knows.
 */
import type { GroupVersionKind } from '../../api/index.ts';
import { internalError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Schema } from '../../machinery/validation/index.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { ViewConversion } from '../storage/entry.ts';
import { applySchemaDefaults, coerce, compileInForm, type InForm } from './coerce.ts';
import type { ConversionWebhook } from './conversion-webhook.ts';
import { lazily } from './lazily.ts';

export interface VersionForm {
  readonly apiVersion: string;
  /** Absent where everything is kept. */
  readonly schema: Schema | undefined;
  readonly inForm: InForm;
}

export function versionForm(apiVersion: string, schema: Schema | undefined): VersionForm {
  const compiled = lazily(() => (schema ? compileInForm(schema) : () => true));
  return { apiVersion, schema, inForm: (value) => compiled()(value) };
}

/** What a stored object is read as, in the version that it is in. */
export function readStored(object: KubeObject, forms: ReadonlyMap<string, VersionForm>): KubeObject {
  const form = forms.get(object.apiVersion);
  if (!form || form.inForm(object)) return object;
  const read = coerce(object, form.schema).object as KubeObject;
  applySchemaDefaults(read, form.schema);
  return read;
}

/** Without a converter only the version changes. */
export function changeVersion(object: KubeObject, to: VersionForm): KubeObject {
  if (object.apiVersion === to.apiVersion) return object;
  return pruneTo({ ...object, apiVersion: to.apiVersion }, to);
}

export function pruneTo(object: KubeObject, to: VersionForm): KubeObject {
  return to.schema ? (coerce(object, to.schema).object as KubeObject) : object;
}

export interface VersionViews {
  readonly conversion: NonNullable<ServedResource['conversion']>;
  readonly prepareViews?: NonNullable<ServedResource['prepareViews']>;
}

/** Views that a webhook makes: they are made before they are looked at. */
export function webhookViews(webhook: ConversionWebhook, { forms, served, storage, kind }: ViewOptions): VersionViews {
  const gvkOf = ({ apiVersion }: VersionForm): GroupVersionKind => {
    const slash = apiVersion.indexOf('/');
    return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1), kind };
  };
  const fromStorage: ViewConversion = (stored) => {
    if (stored.apiVersion !== served.apiVersion)
      throw internalError(`the object has not been converted to ${served.apiVersion}`);
    return readStored(stored, forms);
  };
  return {
    conversion: {
      fromStorage,
      async toStorage(object) {
        if (object.apiVersion === storage.apiVersion) return object;
        const [converted] = await webhook.convert([object], gvkOf(storage));
        return pruneTo(converted!, storage);
      },
    },
    async prepareViews(entries) {
      const pending = entries.filter(
        (entry) => !entry.hasView(fromStorage) && entry.object.apiVersion !== served.apiVersion,
      );
      if (pending.length === 0) return false;
      const converted = await webhook.convert(
        pending.map((entry) => readStored(entry.object, forms)),
        gvkOf(served),
      );
      for (const [i, entry] of pending.entries()) entry.setView(fromStorage, pruneTo(converted[i]!, served));
      return true;
    },
  };
}

export interface ViewOptions {
  readonly forms: ReadonlyMap<string, VersionForm>;
  readonly served: VersionForm;
  readonly storage: VersionForm;
  readonly kind: string;
}

export function versionViews({ forms, served, storage }: ViewOptions): VersionViews {
  return {
    conversion: {
      fromStorage: (stored) => changeVersion(readStored(stored, forms), served),
      toStorage: (object) => changeVersion(object, storage),
    },
  };
}
