/** Warnings about unrecognized formats, which are not validated. */
import type { CustomResourceDefinition } from '../../../api/generated/apiextensions-v1.ts';
import { quote } from '../../../base/index.ts';
import type { WarningCheck } from '../kind-validation.ts';
import { someSchema } from './schema-props.ts';
import { isRecognizedFormat } from './value-formats.ts';

export const unrecognizedFormatWarnings: WarningCheck<CustomResourceDefinition> = (warnings, { spec }, old) => {
  const known = old ? unrecognizedFormats(old) : new Set();
  for (const format of unrecognizedFormats({ spec }))
    if (!known.has(format)) warnings.push(`unrecognized format ${quote(format)}`);
};

function unrecognizedFormats({ spec }: Pick<CustomResourceDefinition, 'spec'>): Set<string> {
  const found = new Set<string>();
  for (const { schema } of spec?.versions ?? []) {
    someSchema(schema?.openAPIV3Schema, ({ type, format }) => {
      if (format && !isRecognizedFormat(type, format)) found.add(format);
      return false;
    });
  }
  return found;
}
