/** The contract of table printers: columns, cells and rows. */
import type * as meta from '../../api/generated/meta-v1.ts';
import type { ListMeta, TableColumnDefinition, TableRowCondition } from '../../api/generated/meta-v1.ts';
import type { KubeObject } from '../index.ts';
import type { PartialObjectMetadata } from './partial-object-metadata.ts';

export type Cell = string | number | boolean | null;

/** The declared TableRow, with an `object` that is never absent. */
export interface TableRow extends meta.TableRow {
  cells: Cell[];
  object: KubeObject | PartialObjectMetadata | null;
}

export interface Table extends Omit<meta.Table, 'columnDefinitions'> {
  kind: 'Table';
  apiVersion: string;
  /** Null in all but the first event of a watch. */
  columnDefinitions: TableColumnDefinition[] | null;
  rows: TableRow[];
}

/** Prints the objects of one kind. */
export interface TablePrinter {
  readonly columns: readonly TableColumnDefinition[];
  /** One cell for each column; `now` in milliseconds since 1970. */
  readonly cells: (object: KubeObject, now: number) => Cell[];
  readonly conditions?: (object: KubeObject) => TableRowCondition[];
}

export interface TableOptions {
  /** Milliseconds since 1970, for ages. */
  readonly now: number;
  /** What a row contains of its object besides the cells. */
  readonly includeObject?: 'None' | 'Metadata' | 'Object';
  /** The version of meta.k8s.io: v1 or v1beta1. */
  readonly version?: string;
  /** The metadata of the list; for a single object only its resourceVersion. */
  readonly metadata?: ListMeta;
  /** For all but the first event of a watch. */
  readonly withoutColumns?: boolean;
}
