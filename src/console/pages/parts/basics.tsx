import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { visible } from '../format.ts';
import type { Health } from '../health.ts';
import { T } from '../texts.ts';

const SHAPES: Readonly<Record<Health, string>> = {
  ok: 'M6 1a5 5 0 1 0 0 10a5 5 0 0 0 0-10z',
  wait: 'M6 .6 11.4 6 6 11.4 .6 6z',
  bad: 'M6 .8 11.6 11H.4z',
  done: 'M1.5 1.5h9v9h-9z',
  gone: 'M1 3l2-2 3 3 3-3 2 2-3 3 3 3-2 2-3-3-3 3-2-2 3-3z',
};

export const shapeOf = (health: Health): string => SHAPES[health];

export function HealthMark({ health }: { health: Health }) {
  return (
    <svg class={`mark ${health}`} viewBox="0 0 12 12" role="img" aria-label={T.health[health]}>
      <path d={SHAPES[health]} />
    </svg>
  );
}

export function Pill({ health, text }: { health: Health; text: string }) {
  return (
    <span class={`pill ${health}`}>
      <HealthMark health={health} />
      {visible(text, 80)}
    </span>
  );
}

export const Notice = ({ kind = 'info', children }: { kind?: 'info' | 'error'; children: ComponentChildren }) => (
  <p class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
    {children}
  </p>
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
