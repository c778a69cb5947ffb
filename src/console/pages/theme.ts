/** Light, dark, or as the system has it. The choice is kept in the browser. */
import { signal } from '@preact/signals';

const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const KEY = 'k8ts-console-theme';
const kept = localStorage.getItem(KEY) as Theme | null;

export const theme = signal<Theme>(kept && THEMES.includes(kept) ? kept : 'auto');

theme.subscribe((chosen) => {
  document.documentElement.dataset['theme'] = chosen;
  localStorage.setItem(KEY, chosen);
});

export const nextTheme = (): void => {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
};
