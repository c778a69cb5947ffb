/** Values as people read them. */
import { computed, signal } from '@preact/signals';

/** Ages on the pages move with it. */
const present = signal(Date.now());
setInterval(() => {
  if (!document.hidden) present.value = Date.now();
}, 5000);

/** When the revision was made that the pages show; 0 for now, and where nobody recorded it. */
export const pastTime = signal(0);

export const now = computed(() => pastTime.value || present.value);

/** As kubectl writes ages: two units at most. */
export function age(since: string | undefined, until = now.value): string {
  if (!since) return '';
  const seconds = Math.max(0, Math.floor((until - Date.parse(since)) / 1000));
  if (Number.isNaN(seconds)) return '';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return `${minutes}m${seconds % 60 ? `${seconds % 60}s` : ''}`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return `${hours}h${minutes % 60 ? `${minutes % 60}m` : ''}`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  return days < 730 ? `${days}d` : `${Math.floor(days / 365)}y`;
}

/** Control and direction characters, which would let a text pose as another. */
export const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export const codeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const MAX_SHOWN = 2000;

/** A text as it is shown: control and direction characters by their code, and no more of it than fits. */
export function visible(value: unknown, limit = MAX_SHOWN): string {
  const text = typeof value === 'string' ? value : value === null || value === undefined ? '' : String(value);
  const cut = text.length > limit ? `${text.slice(0, limit)}… (${text.length} characters)` : text;
  return cut.replace(CONTROLS, codeOf);
}

export const dateTime = (time: string | undefined): string =>
  time ? new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' }) : '';

const SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['n', 1e-9],
  ['u', 1e-6],
  ['m', 1e-3],
  ['', 1],
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['T', 1e12],
  ['P', 1e15],
  ['E', 1e18],
  ['Ki', 1024],
  ['Mi', 1024 ** 2],
  ['Gi', 1024 ** 3],
  ['Ti', 1024 ** 4],
  ['Pi', 1024 ** 5],
  ['Ei', 1024 ** 6],
]);

/** A quantity as a number, for plots; what is none counts as 0. */
export function quantityOf(text: string): number {
  const [, number = '', suffix = ''] = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([A-Za-z]{0,2})$/.exec(text) ?? [];
  return Number(number || 0) * (SUFFIXES.get(suffix) ?? 0) || 0;
}
