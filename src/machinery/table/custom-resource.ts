/** Prints custom resources by their additionalPrinterColumns. */
import { isRecord } from '../../base/index.ts';
import { isBadInput } from '../errors/index.ts';
import type { KubeObject } from '../index.ts';
import { nameOf, since } from './cell-text.ts';
import { JsonPathError, parseJsonPath, type JsonPath } from './json-path.ts';
import type { Cell, TablePrinter } from './table-printer.ts';
import { columnDefinition } from './table.ts';

/** A column of a CustomResourceDefinition's version. */
interface AdditionalPrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

const DEFAULT_COLUMNS: readonly AdditionalPrinterColumn[] = [
  {
    name: 'Age',
    type: 'date',
    description: 'The time since the object was created.',
    jsonPath: '.metadata.creationTimestamp',
  },
];

/** The name and the columns of the version; by default the age. Throws a JsonPathError for an invalid path. */
export function customResourcePrinter(columns: readonly AdditionalPrinterColumn[] | undefined): TablePrinter {
  const own = columns && columns.length > 0 ? columns : DEFAULT_COLUMNS;
  const paths = own.map((column) => ({ type: column.type, path: parseJsonPath(column.jsonPath) }));
  return {
    columns: [
      columnDefinition({ name: 'Name', type: 'string', format: 'name', priority: 0 }),
      ...own.map((column) => ({
        name: column.name,
        type: column.type,
        format: column.format ?? '',
        description: column.description || `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
        priority: column.priority ?? 0,
      })),
    ],
    cells: (object, now) => [nameOf(object), ...paths.map(({ type, path }) => cellAt(object, path, { type, now }))],
  };
}

function cellAt(object: KubeObject, path: JsonPath, { type, now }: { type: string; now: number }): Cell {
  let found: unknown[];
  try {
    found = path.find(object);
  } catch (error) {
    if (error instanceof JsonPathError) return null;
    throw error;
  }
  if (found.length === 0) return null;
  return type === 'string' ? textOf(found[0]) : typedCell(found[0], type, now);
}

function typedCell(value: unknown, type: string, now: number): Cell {
  if (type === 'integer' && typeof value === 'number') return Math.trunc(value);
  if (type === 'number' && typeof value === 'number') return value;
  if (type === 'boolean' && typeof value === 'boolean') return value;
  if (type === 'date' && typeof value === 'string') return dateCell(value, now);
  return null;
}

function dateCell(text: string, now: number): string {
  if (text === '' || text === 'null') return since(undefined, now);
  try {
    return since(text, now);
  } catch (error) {
    if (isBadInput(error)) return '<invalid>';
    throw error;
  }
}

/** Lists and maps as JSON, with the keys in order. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '<no value>';
  return typeof value === 'object' ? JSON.stringify(value, sortedKeys) : String(value);
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
