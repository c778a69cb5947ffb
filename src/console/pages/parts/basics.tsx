import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { visible } from '../format.ts';
import type { Health } from '../health.ts';
import { T } from '../texts.ts';

/** Where a shape of 12 by 12 begins, and its way from there. */
const SHAPES: Readonly<Record<Health, readonly [x: number, y: number, way: string]>> = {
  ok: [6, 1, 'a5 5 0 1 0 0 10a5 5 0 0 0 0-10z'],
  wait: [6, 0.6, 'l5.4 5.4-5.4 5.4-5.4-5.4z'],
  bad: [6, 0.8, 'l5.6 10.2h-11.2z'],
  done: [1.5, 1.5, 'h9v9h-9z'],
  gone: [1, 3, 'l2-2 3 3 3-3 2 2-3 3 3 3-2 2-3-3-3 3-2-2 3-3z'],
};

export function shapeOf(health: Health, left = 0, top = 0): string {
  const [x, y, way] = SHAPES[health];
  return `M${left + x} ${top + y}${way}`;
}

export function HealthMark({ health }: { health: Health }) {
  return (
    <svg class={`mark ${health}`} viewBox="0 0 12 12" role="img" aria-label={T.health[health]}>
      <path d={shapeOf(health)} />
    </svg>
  );
}

export function Pill({ health, text }: { health: Health; text: string }) {
  return (
    <span class={`pill ${health}`}>
      <HealthMark health={health} />
      <bdi>{visible(text, 80)}</bdi>
    </span>
  );
}

export const Notice = ({ kind = 'info', children }: { kind?: 'info' | 'error'; children: ComponentChildren }) => (
  <p class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
    {typeof children === 'string' ? visible(children) : children}
  </p>
);

/** The titles of a table's columns. */
export const HeadRow = ({ titles }: { titles: readonly string[] }) => (
  <thead>
    <tr>
      {titles.map((title) => (
        <th key={title} scope="col">
          {title}
        </th>
      ))}
    </tr>
  </thead>
);

export function Card({ title, children, wide }: { title: string; children: ComponentChildren; wide?: boolean }) {
  return (
    <section class={wide ? 'card wide' : 'card'} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A modal: the browser keeps the focus in it and gives it back. */
export function Dialog({
  title,
  onClose,
  children,
  wide,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
}) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? 'wide' : ''}
      aria-label={title}
      // Browsers let a page prevent only the first of several cancels, so the key itself is handled.
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2>{title}</h2>
        <button type="button" class="quiet" onClick={onClose} aria-label={T.actions.close}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}
