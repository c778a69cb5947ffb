import { Document, isScalar, Scalar, type Pair } from 'yaml';
import { formatDuration } from '../base/index.ts';
import type { ConfigFile } from './config-file.ts';
import type { FlagDeclaration, FlagTable, FlagTypes, FlagKind } from './flag-table.ts';
import type { ParsedFlags } from './parse-flags.ts';

interface EffectiveValue {
  readonly name: string;
  /** As a configuration file has it; secrets are hidden. */
  readonly value: unknown;
  /** `default`, `flag`, or the file and line. */
  readonly source: string;
}

const HIDDEN = '(hidden)';

/** The values that a command runs with, each with where it comes from; flags that have no value are left out. */
export function effectiveValues(
  table: FlagTable,
  { values, given }: Pick<ParsedFlags<FlagTable>, 'values' | 'given'>,
  file: ConfigFile | undefined,
): EffectiveValue[] {
  return Object.entries(table).flatMap(([name, declaration]): EffectiveValue[] => {
    const value = values[name];
    if (value === undefined || declaration.commandLineOnly || declaration.ignored !== undefined) return [];
    const written = file?.values.get(name);
    const isFlag = given.has(name) && written?.value !== value;
    const source = isFlag ? 'flag' : written ? `${file!.path}:${written.line}` : 'default';
    return [{ name, value: declaration.secret ? HIDDEN : inFile(declaration, value), source }];
  });
}

const inFile = ({ kind }: FlagDeclaration, value: FlagTypes[FlagKind]): unknown =>
  kind === 'duration' ? formatDuration(value as number) : value;

/** As a configuration file, with the source of each value in a comment. */
export function formatConfig(values: readonly EffectiveValue[]): string {
  const document = new Document(Object.fromEntries(values.map(({ name, value }) => [name, value])));
  const { contents } = document;
  const pairs = (contents as unknown as { items: Pair<Scalar, Scalar>[] }).items;
  pairs.forEach((pair, index) => {
    const comment = ` ${values[index]!.source}`;
    if (isScalar(pair.value)) pair.value.comment = comment;
    else pair.key.commentBefore = comment;
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd();
}
