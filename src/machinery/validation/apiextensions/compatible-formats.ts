/** The formats of a schema that servers of an older minor version know: they ignore the others, and so does a server beside them. */
import { cloneJson } from '../../../base/index.ts';
import { someSchema, type Schema } from './schema-props.ts';
import { isFormatOf } from './value-formats.ts';

/** The schema itself, where the older servers know all of its formats. */
export function withCompatibleFormats(schema: Schema, compatibility: number): Schema {
  const isNewer = ({ format }: Schema): boolean => !!format && !isFormatOf(compatibility, format);
  if (!someSchema(schema, isNewer)) return schema;
  const compatible = cloneJson(schema) as { format?: string };
  someSchema(compatible, (one: { format?: string }) => {
    if (isNewer(one)) delete one.format;
    return false;
  });
  return compatible;
}
