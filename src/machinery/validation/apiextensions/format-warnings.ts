/** Warnings about unrecognized formats, which are not validated. */
import type { CustomResourceDefinition } from '../../../api/generated/apiextensions-v1.ts';
import { BINARY_MINOR } from '../../../api/kubernetes-version.ts';
import { quote } from '../../../base/index.ts';
import type { ValidationContext, WarningCheck } from '../kind-validation.ts';
import { someSchema } from './schema-props.ts';
import { isFormatOf, isRecognizedFormat } from './value-formats.ts';

export const unrecognizedFormatWarnings: WarningCheck<CustomResourceDefinition> = (
  warnings,
  { spec },
  old,
  context,
) => {
  const known = old ? unrecognizedFormats(old, context) : new Set();
  for (const format of unrecognizedFormats({ spec }, context))
    if (!known.has(format)) warnings.push(`unrecognized format ${quote(format)}`);
};

function unrecognizedFormats(
  { spec }: Pick<CustomResourceDefinition, 'spec'>,
  { compatibility = BINARY_MINOR }: ValidationContext,
): Set<string> {
  const found = new Set<string>();
  for (const { schema } of spec?.versions ?? []) {
    someSchema(schema?.openAPIV3Schema, ({ type, format }) => {
      if (format && !(isRecognizedFormat(type, format) && isFormatOf(compatibility, format))) found.add(format);
      return false;
    });
  }
  return found;
}
