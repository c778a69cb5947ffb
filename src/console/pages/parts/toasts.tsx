import { signal } from '@preact/signals';
import { visible } from '../format.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly bad: boolean;
}

const toasts = signal<readonly Toast[]>([]);
let last = 0;

export function toast(text: string, { bad = false }: { bad?: boolean } = {}): void {
  const id = ++last;
  toasts.value = [...toasts.value, { id, text, bad }];
  setTimeout(() => (toasts.value = toasts.value.filter((shown) => shown.id !== id)), bad ? 12_000 : 4000);
}

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map(({ id, text, bad }) => (
      <div key={id} class={bad ? 'toast bad' : 'toast'}>
        {visible(text, 600)}
      </div>
    ))}
  </div>
);
