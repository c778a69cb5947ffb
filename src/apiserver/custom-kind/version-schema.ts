/** The schema of a version of a custom kind. */
import type { Schema } from '../../machinery/validation/index.ts';
import { lazy } from './lazy.ts';
import { compileIsNormalized, type IsNormalized } from './prune-and-default.ts';

export interface VersionSchema {
  readonly apiVersion: string;
  /** Undefined with preserveUnknownFields. */
  readonly schema: Schema | undefined;
  readonly isNormalized: IsNormalized;
}

export function versionSchema(apiVersion: string, schema: Schema | undefined): VersionSchema {
  const compiled = lazy(() => (schema ? compileIsNormalized(schema) : () => true));
  return { apiVersion, schema, isNormalized: (value) => compiled()(value) };
}
