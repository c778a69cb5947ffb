import { formatDuration } from '../base/index.ts';
import type { FlagDeclaration, FlagKind, FlagTable, FlagTypes } from './flag-table.ts';

/** How a value is written in a configuration file. */
const WRITTEN: Readonly<Record<FlagKind, string>> = {
  text: 'string',
  texts: 'list of strings',
  repeated: 'list of strings',
  switch: 'true or false',
  whole: 'integer',
  number: 'number',
  duration: 'duration',
  pairs: 'map',
  settings: 'map',
};

/** A table in Markdown: the keys of a configuration file, which are flags with `--` before them. */
export function flagsReference(table: FlagTable): string {
  const rows = Object.entries(table).flatMap(([name, declaration]) =>
    declaration.summary === undefined || declaration.ignored !== undefined || declaration.refused !== undefined
      ? []
      : [`| \`${name}\` | ${typeOf(declaration)} | ${defaultOf(declaration)} | ${declaration.summary} |`],
  );
  return ['| key, flag | value | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

function typeOf({ kind, only, secret, path, commandLineOnly }: FlagDeclaration): string {
  const written = kind === 'text' && path ? 'path' : kind === 'text' && only ? only.join(' or ') : WRITTEN[kind];
  return `${written}${secret ? ', secret' : ''}${commandLineOnly ? ' (flag only)' : ''}`;
}

function defaultOf({ kind, default: value }: FlagDeclaration): string {
  const text = value === undefined || value === '' ? '' : shown(kind, value);
  return text === '' ? '' : `\`${text}\``;
}

function shown(kind: FlagKind, value: FlagTypes[FlagKind]): string {
  if (kind === 'duration' && typeof value === 'number') return formatDuration(value);
  return typeof value === 'object' ? (Array.isArray(value) ? value.join(',') : '') : String(value);
}
