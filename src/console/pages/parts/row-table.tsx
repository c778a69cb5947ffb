/** Rows of a Table, of which only the visible ones are in the page: 150,000 rows scroll as ten do. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Column, Row } from '../api/feed.ts';
import { age, now, visible } from '../format.ts';
import { healthOfCell, isDoneRow } from '../health.ts';
import { go } from '../router.ts';
import { Pill } from './basics.tsx';
import { sortSliced, useSliced, type Sliced } from './sliced.ts';

const ROW_PX = 36;
const OVERSCAN = 8;
const MANY_ROWS = 20_000;

interface RowTableProps {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
  /** Whether columns of a lower priority are shown, too. */
  readonly wide: boolean;
  readonly showNamespace: boolean;
  readonly hrefOf: (row: Row) => string;
  readonly sort: { readonly column: string; readonly descending: boolean } | undefined;
  readonly onSort: (column: string) => void;
}

interface Shown {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly key: (row: Row) => string | number;
  readonly column?: Column;
  readonly index: number;
}

const COLLATOR = new Intl.Collator('en', { numeric: true });

function shownColumns(columns: readonly Column[], options: { wide: boolean; namespace: boolean }): Shown[] {
  const shown = columns.flatMap((column, index): readonly Shown[] => {
    if (column.priority > 0 && !options.wide) return [];
    if (column.name === 'Age' || column.name === 'Created At')
      return [
        {
          title: 'Age',
          index,
          text: (row) => age(row.created, now.value),
          key: (row) => -Date.parse(row.created),
        },
      ];
    const raw = (row: Row): unknown => row.cells[index];
    return [
      {
        title: column.name,
        column,
        index,
        text: (row) => visible(raw(row), 300),
        key: (row) => {
          const value = raw(row);
          return typeof value === 'number' ? value : String(value ?? '');
        },
      },
    ];
  });
  const name = shown.findIndex(({ title }) => title === 'Name');
  if (options.namespace)
    shown.splice(name + 1, 0, {
      title: 'Namespace',
      index: -1,
      text: ({ namespace }) => visible(namespace),
      key: ({ namespace }) => namespace,
    });
  return shown;
}

function* sortRows(rows: readonly Row[], by: Shown | undefined, descending: boolean): Sliced<readonly Row[]> {
  if (by === undefined) return rows;
  const keyed: { readonly row: Row; readonly key: string | number }[] = [];
  for (const row of rows) {
    keyed.push({ row, key: by.key(row) });
    if (keyed.length % 1000 === 0) yield;
  }
  const sign = descending ? -1 : 1;
  const compare = (a: string | number, b: string | number): number => {
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    // The collator reads numbers within texts, and takes too long for very many.
    if (rows.length <= MANY_ROWS) return COLLATOR.compare(String(a), String(b));
    return a < b ? -1 : a > b ? 1 : 0;
  };
  const sorted = yield* sortSliced(keyed, (a, b) => sign * compare(a.key, b.key));
  return sorted.map(({ row }) => row);
}

export function RowTable(props: RowTableProps) {
  const { label, rows, columns, wide, showNamespace, hrefOf, sort, onSort } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [active, setActive] = useState(0);
  const shown = useMemo(
    () => shownColumns(columns, { wide, namespace: showNamespace }),
    [columns, wide, showNamespace],
  );
  const by = shown.find(({ title }) => title === sort?.column);
  const sorted = useSliced(
    () => sortRows(rows, by, sort?.descending ?? false),
    [rows, shown, sort?.column, sort?.descending],
    rows,
  );

  useEffect(() => {
    const element = scroller.current!;
    const measure = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, []);

  // Fewer rows move the place, and another order begins at its top.
  useEffect(() => {
    const element = scroller.current!;
    setView({ top: element.scrollTop, height: element.clientHeight });
  }, [sorted.length]);
  useEffect(() => {
    scroller.current!.scrollTop = 0;
  }, [sort?.column, sort?.descending]);

  const first = Math.max(0, Math.floor(view.top / ROW_PX) - OVERSCAN);
  const last = Math.min(sorted.length, Math.ceil((view.top + view.height) / ROW_PX) + OVERSCAN);
  const current = Math.min(active, sorted.length - 1);

  const move = (to: number): void => {
    const next = Math.max(0, Math.min(sorted.length - 1, to));
    setActive(next);
    const element = scroller.current!;
    const [top, bottom] = [next * ROW_PX, (next + 2) * ROW_PX];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
  };
  const page = Math.max(1, Math.floor(view.height / ROW_PX) - 2);
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    j: 1,
    ArrowUp: -1,
    k: -1,
    PageDown: page,
    PageUp: -page,
    Home: -sorted.length,
    End: sorted.length,
  };

  return (
    <div
      class="rows"
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={sorted.length + 1}
      aria-colcount={shown.length}
      {...(sorted.length > 0 && current >= first && current < last
        ? { 'aria-activedescendant': `row-${current}` }
        : {})}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const step = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined;
        const row = sorted[current];
        if (step !== undefined) move(current + step);
        else if (event.key === 'Enter' && row && event.target === event.currentTarget) go(hrefOf(row));
        else return;
        event.preventDefault();
      }}
    >
      <div class="row head" role="row" aria-rowindex={1}>
        {shown.map(({ title, column, index }) => (
          <div
            key={`${title}${index}`}
            class={cellClass(title)}
            role="columnheader"
            aria-sort={sort?.column === title ? (sort.descending ? 'descending' : 'ascending') : 'none'}
            title={column?.description}
          >
            <button type="button" class="sort" onClick={() => onSort(title)}>
              {title}
              <span aria-hidden="true">{sort?.column === title ? (sort.descending ? ' ↓' : ' ↑') : ''}</span>
            </button>
          </div>
        ))}
      </div>
      <div class="rows-space" role="rowgroup" style={{ height: `${sorted.length * ROW_PX}px` }}>
        {sorted.slice(first, last).map((row, offset) => {
          const at = first + offset;
          return (
            <div
              key={row.uid}
              id={`row-${at}`}
              class={`row${at === current ? ' active' : ''}${row.deleting ? ' deleting' : ''}`}
              role="row"
              aria-rowindex={at + 2}
              style={{ top: `${at * ROW_PX}px` }}
              onClick={(event) => {
                setActive(at);
                if (!(event.target instanceof HTMLAnchorElement)) go(hrefOf(row));
              }}
            >
              {shown.map((cell) => (
                <Cell
                  key={`${cell.title}${cell.index}`}
                  cell={cell}
                  row={row}
                  href={hrefOf(row)}
                  isDone={isDoneRow(row, columns)}
                />
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const cellClass = (title: string): string =>
  `cell${title === 'Name' ? ' name' : title === 'Status' ? ' state' : ''}${['Age', 'Ready', 'Version', 'Type', 'Data', 'Current', 'Desired', 'Available', 'Up-to-date', 'Count'].includes(title) ? ' short' : ''}`;

function Cell({ cell, row, href, isDone }: { cell: Shown; row: Row; href: string; isDone: boolean }) {
  const text = cell.text(row);
  const health = cell.column && healthOfCell(cell.column, row.cells[cell.index], isDone);
  return (
    <div class={cellClass(cell.title)} role="gridcell" title={text}>
      {cell.title === 'Name' ? (
        <a href={href} tabIndex={-1}>
          {text}
        </a>
      ) : health ? (
        <Pill health={health} text={text} />
      ) : (
        <bdi>{text}</bdi>
      )}
    </div>
  );
}
