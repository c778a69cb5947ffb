/** A live list as server-side Tables: the rows and columns that kubectl shows. */
import { signal, type Signal } from '@preact/signals';
import { LiveList, type ListForm, type ListOptions } from './live-list.ts';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly priority: number;
  readonly description?: string;
}

export interface Row {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly cells: readonly unknown[];
  readonly created: string;
  /** When deletion began. */
  readonly deleting: boolean;
}

/** Events after the first have no columns: null, as Go writes it. */
interface Table {
  readonly columnDefinitions?: readonly Column[] | null;
  readonly rows?:
    | readonly {
        readonly cells: readonly unknown[];
        readonly object?: {
          readonly metadata?: {
            readonly uid?: string;
            readonly name?: string;
            readonly namespace?: string;
            readonly creationTimestamp?: string;
            readonly deletionTimestamp?: string;
            readonly resourceVersion?: string;
          };
        };
      }[]
    | null;
}

const TABLE: ListForm<Table, Row> = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  watchQuery: '&console-table=1',
  keyOf: ({ uid }) => uid,
  versionOf: ({ rows }) => rows?.[0]?.object?.metadata?.resourceVersion,
  itemsOf: ({ rows }) =>
    (rows ?? []).map(({ cells, object }) => {
      const { uid, name = '', namespace = '', creationTimestamp = '', deletionTimestamp } = object?.metadata ?? {};
      return {
        uid: uid ?? `${namespace}/${name}`,
        name,
        namespace,
        cells,
        created: creationTimestamp,
        deleting: deletionTimestamp !== undefined,
      };
    }),
};

export class Feed extends LiveList<Table, Row> {
  readonly columns: Signal<readonly Column[]> = signal([]);

  constructor(path: string, options?: ListOptions) {
    super(path, TABLE, options);
  }

  get rows(): Signal<readonly Row[]> {
    return this.items;
  }

  protected override received({ columnDefinitions }: Table): void {
    if (columnDefinitions && columnDefinitions.length > 0) this.columns.value = columnDefinitions;
  }
}
