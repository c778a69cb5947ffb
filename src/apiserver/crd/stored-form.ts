/**
 * How the versions of a custom kind are views of what is stored. Reading brings a stored object into the form of the
 * version that it was stored in (its schema may have changed since: defaults are filled in, fields that are no longer
 * known are left out), then converts it; writing converts it to the version that is stored. A conversion leaves only
 * what the schema of the version that it leads to knows.
 */
import type { KubeObject } from '../../machinery/object.ts';
import type { Schema } from '../../machinery/validation/apiextensions/index.ts';
import type { ViewConversion } from '../storage/entry.ts';
import { applySchemaDefaults, coerce, compileInForm, type InForm } from './coerce.ts';
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

export function versionViews(forms: ReadonlyMap<string, VersionForm>, served: VersionForm, storage: VersionForm): { fromStorage: ViewConversion; toStorage: ViewConversion } {
  return {
    fromStorage: (stored) => changeVersion(readStored(stored, forms), served),
    toStorage: (object) => changeVersion(object, storage),
  };
}
