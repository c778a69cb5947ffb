/**
 * Conversion between the versions of a custom kind. A read prunes and defaults the object by the schema of its stored
 * version, which may have changed since the write, and converts it to the requested version; a write converts it to the
 * storage version. Each conversion prunes the object to the schema of the target version.
 */
import type { GroupVersionKind } from '../../api/index.ts';
import { internalError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { applySchemaDefaults, prune } from '../custom-kind/prune-and-default.ts';
import type { VersionSchema } from '../custom-kind/version-schema.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { ViewConversion } from '../storage/entry.ts';
import type { ConversionWebhook } from './conversion-webhook.ts';

/** Prunes and defaults a stored object by the current schema of its version. */
function readStored(object: KubeObject, schemas: ReadonlyMap<string, VersionSchema>): KubeObject {
  const form = schemas.get(object.apiVersion);
  if (!form || form.isNormalized(object)) return object;
  const read = prune(object, form.schema).object as KubeObject;
  applySchemaDefaults(read, form.schema);
  return read;
}

/** Conversion strategy None: only apiVersion changes. */
function changeVersion(object: KubeObject, to: VersionSchema): KubeObject {
  if (object.apiVersion === to.apiVersion) return object;
  return pruneToVersion({ ...object, apiVersion: to.apiVersion }, to);
}

function pruneToVersion(object: KubeObject, to: VersionSchema): KubeObject {
  return to.schema ? (prune(object, to.schema).object as KubeObject) : object;
}

interface VersionViews {
  readonly conversion: NonNullable<ServedResource['conversion']>;
  readonly prepareViews?: NonNullable<ServedResource['prepareViews']>;
}

/** Conversion strategy Webhook: `prepareViews` converts objects before a synchronous read needs them. */
export function webhookViews(
  webhook: ConversionWebhook,
  { schemas, served, storage, kind }: ViewOptions,
): VersionViews {
  const gvkOf = ({ apiVersion }: VersionSchema): GroupVersionKind => {
    const slash = apiVersion.indexOf('/');
    return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1), kind };
  };
  const fromStorage: ViewConversion = (stored) => {
    if (stored.apiVersion !== served.apiVersion)
      throw internalError(`the object has not been converted to ${served.apiVersion}`);
    return readStored(stored, schemas);
  };
  return {
    conversion: {
      fromStorage,
      async toStorage(object) {
        if (object.apiVersion === storage.apiVersion) return object;
        const [converted] = await webhook.convert([object], gvkOf(storage));
        return pruneToVersion(converted!, storage);
      },
    },
    async prepareViews(entries) {
      const pending = entries.filter(
        (entry) => !entry.hasView(fromStorage) && entry.object.apiVersion !== served.apiVersion,
      );
      if (pending.length === 0) return false;
      const converted = await webhook.convert(
        pending.map((entry) => readStored(entry.object, schemas)),
        gvkOf(served),
      );
      for (const [i, entry] of pending.entries()) entry.setView(fromStorage, pruneToVersion(converted[i]!, served));
      return true;
    },
  };
}

interface ViewOptions {
  readonly schemas: ReadonlyMap<string, VersionSchema>;
  readonly served: VersionSchema;
  readonly storage: VersionSchema;
  readonly kind: string;
}

export function versionViews({ schemas, served, storage }: ViewOptions): VersionViews {
  return {
    conversion: {
      fromStorage: (stored) => changeVersion(readStored(stored, schemas), served),
      toStorage: (object) => changeVersion(object, storage),
    },
  };
}
