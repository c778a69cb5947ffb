/** Prints objects as a Table (`application/json;as=Table;v=v1;g=meta.k8s.io`), which `kubectl get` shows. */
import type { TableColumnDefinition } from '../../api/generated/meta-v1.ts';
import type { ColumnDeclaration, Resource } from '../../api/index.ts';
import type { KubeObject } from '../index.ts';
import { createdAtCells } from './cell-text.ts';
import { partialObjectMetadata } from './partial-object-metadata.ts';
import { printers } from './registry.ts';
import type { Table, TableOptions, TablePrinter, TableRow } from './table-printer.ts';

export function printTable(
  subject: Resource | TablePrinter,
  objects: readonly KubeObject[],
  options: TableOptions,
): Table {
  const printer = 'cells' in subject ? subject : tablePrinter(subject);
  const apiVersion = `meta.k8s.io/${options.version ?? 'v1'}`;
  return {
    kind: 'Table',
    apiVersion,
    metadata: options.metadata ?? {},
    columnDefinitions: options.withoutColumns ? null : [...printer.columns],
    rows: objects.map((object) => printRow(printer, object, options, apiVersion)),
  };
}

function printRow(printer: TablePrinter, object: KubeObject, options: TableOptions, apiVersion: string): TableRow {
  const cells = printer.cells(object, options.now);
  const conditions = printer.conditions?.(object) ?? [];
  const include = options.includeObject ?? 'Metadata';
  const shown = include === 'None' ? null : include === 'Object' ? object : partialObjectMetadata(object, apiVersion);
  return conditions.length > 0 ? { cells, conditions, object: shown } : { cells, object: shown };
}

const printerOf = (name: string): Omit<TablePrinter, 'columns'> | undefined =>
  Object.hasOwn(printers, name) ? printers[name as keyof typeof printers] : undefined;

const cache = new WeakMap<Resource, TablePrinter>();

/** The printer of a built-in resource; by default it shows name and creation time. */
export function tablePrinter(resource: Resource): TablePrinter {
  let printer = cache.get(resource);
  if (!printer) {
    const name = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
    const own = printerOf(name);
    printer = own
      ? { columns: resource.columns.map(columnDefinition), ...own }
      : { columns: createdAtColumns, cells: createdAtCells };
    cache.set(resource, printer);
  }
  return printer;
}

const DESCRIPTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    Name: 'The name of the object, unique in its namespace.',
    Age: 'The time since the object was created.',
    'Created At': 'The time at which the object was created.',
  }),
);

export const columnDefinition = (column: ColumnDeclaration): TableColumnDefinition => ({
  name: column.name,
  type: column.type,
  format: column.format,
  description: DESCRIPTIONS.get(column.name) ?? '',
  priority: column.priority,
});

const createdAtColumns = [
  columnDefinition({ name: 'Name', type: 'string', format: 'name', priority: 0 }),
  columnDefinition({ name: 'Created At', type: 'date', format: '', priority: 0 }),
];

/** The printer of the scale subresource. */
export const scalePrinter: TablePrinter = {
  columns: (
    [
      ['Name', 'string'],
      ['Desired', 'integer'],
      ['Available', 'integer'],
      ['Age', 'string'],
    ] as const
  ).map(([name, type]) => columnDefinition({ name, type, format: '', priority: 0 })),
  cells: printers.scale.cells,
};
