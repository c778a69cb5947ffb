import { formatDuration } from '../base/index.ts';
import type { FlagDeclaration, FlagKind, FlagTable, FlagTypes } from './flag-table.ts';

const ARGUMENT: Readonly<Record<FlagKind, string>> = {
  text: 'string',
  texts: 'strings',
  repeated: 'string',
  switch: '',
  whole: 'int',
  number: 'float',
  duration: 'duration',
  pairs: 'key=value,…',
  settings: 'key=value,…',
};

interface HelpOptions {
  /** The first line: the command and what it does. */
  readonly usage: string;
}

/** The help of a command, from its table: sections in the order in which they first appear, flags in theirs. */
export function flagsHelp(table: FlagTable, { usage }: HelpOptions): string {
  const sections = new Map<string, string[]>();
  const shown = Object.entries(table).filter(
    ([, d]) => d.summary !== undefined && d.ignored === undefined && d.refused === undefined,
  );
  const heads = shown.map(([name, d]) => head(name, d));
  const width = Math.min(46, Math.max(0, ...heads.map((text) => text.length)));
  shown.forEach(([, declaration], i) => {
    const section = declaration.section ?? 'Flags';
    const lines = sections.get(section) ?? [];
    sections.set(section, lines);
    lines.push(`  ${heads[i]!.padEnd(width)}  ${declaration.summary}${defaultText(declaration)}`);
  });
  const parts = [...sections].map(([section, lines]) => `${section}:\n${lines.join('\n')}`);
  const refused = namesOf(table, (d) => d.refused !== undefined && d.only === undefined);
  if (refused.length > 0)
    parts.push(`Flags of Kubernetes that are refused, because their feature is missing:\n${wrapped(refused)}`);
  const ignored = namesOf(table, (d) => d.ignored !== undefined);
  if (ignored.length > 0) parts.push(`Accepted without effect:\n${wrapped(ignored)}`);
  return [usage, ...parts].join('\n\n');
}

function head(name: string, { kind, shorthand }: FlagDeclaration): string {
  return `${shorthand === undefined ? '    ' : `-${shorthand}, `}--${name}${ARGUMENT[kind] === '' ? '' : ` ${ARGUMENT[kind]}`}`;
}

function defaultText({ kind, default: value, only }: FlagDeclaration): string {
  const choice = only && kind !== 'switch' ? ` (${only.join(' or ')})` : '';
  if (value === undefined || value === false || value === '') return choice;
  const text = shown(kind, value);
  return text === '' ? choice : `${choice} (default ${text})`;
}

function shown(kind: FlagKind, value: FlagTypes[FlagKind]): string {
  if (kind === 'duration' && typeof value === 'number') return formatDuration(value);
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([k, v]) => `${k}=${v as string}`)
      .join(',');
  return String(value);
}

const namesOf = (table: FlagTable, which: (declaration: FlagDeclaration) => boolean): string[] =>
  Object.entries(table)
    .filter(([, declaration]) => which(declaration))
    .map(([name]) => `--${name}`);

function wrapped(names: readonly string[]): string {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length < 118) lines[lines.length - 1] = `${last} ${name}`;
    else lines.push(`  ${name}`);
  }
  return lines.join('\n');
}
