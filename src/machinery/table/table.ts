/** Objects as rows and cells: what `kubectl get` shows (`application/json;as=Table;v=v1;g=meta.k8s.io`). */
import type * as meta from '../../api/generated/meta-v1.ts';
import type { ListMeta, TableColumnDefinition, TableRowCondition } from '../../api/generated/meta-v1.ts';
import type { ColumnDeclaration, Resource } from '../../api/index.ts';
import type { KubeObject } from '../index.ts';
import { createdAtCells } from './cell-text.ts';
import { partialObjectMetadata, type PartialObjectMetadata } from './partial-object-metadata.ts';
import { printers } from './registry.ts';

export type { TableColumnDefinition, TableRowCondition };

export type Cell = string | number | boolean | null;

/** Rows that say whether they carry their object, where the declared type leaves it open. */
export interface TableRow extends meta.TableRow {
  cells: Cell[];
  object: KubeObject | PartialObjectMetadata | null;
}

export interface Table extends Omit<meta.Table, 'columnDefinitions'> {
  kind: 'Table';
  apiVersion: string;
  /** Null in the later events of a watch. */
  columnDefinitions: TableColumnDefinition[] | null;
  rows: TableRow[];
}

/** How the objects of one kind are shown. */
export interface TablePrinter {
  readonly columns: readonly TableColumnDefinition[];
  /** One cell for each column; `now` in milliseconds since 1970. */
  readonly cells: (object: KubeObject, now: number) => Cell[];
  readonly conditions?: (object: KubeObject) => TableRowCondition[];
}

export interface TableOptions {
  /** Milliseconds since 1970, from which ages are counted. */
  readonly now: number;
  /** What a row says of its object besides the cells. */
  readonly includeObject?: 'None' | 'Metadata' | 'Object';
  /** Of meta.k8s.io: v1 or v1beta1. */
  readonly version?: string;
  /** The list's metadata; of a single object only the version is kept. */
  readonly metadata?: ListMeta;
  /** The later events of a watch do not repeat the columns. */
  readonly withoutColumns?: boolean;
}

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

const named = (name: string): Omit<TablePrinter, 'columns'> | undefined =>
  Object.hasOwn(printers, name) ? printers[name as keyof typeof printers] : undefined;

const made = new WeakMap<Resource, TablePrinter>();

/** The printer of a built-in resource; name and creation time for those that have none of their own. */
export function tablePrinter(resource: Resource): TablePrinter {
  let printer = made.get(resource);
  if (!printer) {
    const name = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
    const own = named(`${name}/${resource.version}`) ?? named(name);
    printer = own
      ? { columns: resource.columns.map(columnDefinition), ...own }
      : { columns: createdAtColumns, cells: createdAtCells };
    made.set(resource, printer);
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

/** What the scale subresource is shown as. */
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
