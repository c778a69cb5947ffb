/** Texts that the cells of many kinds share. */
import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import { humanDuration, parseTime } from '../../base/index.ts';
import type { KubeObject } from '../index.ts';
import type { Cell } from './table-printer.ts';

export const NONE = '<none>';
export const UNSET = '<unset>';
export const UNKNOWN = '<unknown>';

/** The age as `kubectl get` shows it. */
export function since(time: string | null | undefined, now: number): string {
  return time ? humanDuration(now - parseTime(time)) : UNKNOWN;
}

export const age = (object: { readonly metadata?: ObjectMeta }, now: number): string =>
  since(object.metadata?.creationTimestamp, now);

export const nameOf = (object: { readonly metadata?: ObjectMeta }): string => object.metadata?.name ?? '';

/** How Go writes a time that is not set. */
const ZERO_TIME = '0001-01-01T00:00:00Z';

/** For kinds without declared columns. */
export const createdAtCells = (object: KubeObject): Cell[] => [
  nameOf(object),
  object.metadata.creationTimestamp ?? ZERO_TIME,
];

export const orNone = (text: string | null | undefined): string => (text ? text : NONE);

/** `a=1,b=2`, or `<none>`. */
export function labelsText(labels: Readonly<Record<string, string>> | null | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? NONE : pairs.sort().join(',');
}

interface Container {
  readonly name: string;
  readonly image?: string;
}

/** The names and the images of a pod template's containers. */
export function containerCells(containers: readonly Container[] | null | undefined): [string, string] {
  const list = containers ?? [];
  return [list.map((container) => container.name).join(','), list.map((container) => container.image ?? '').join(',')];
}

/** The first few of many: `a,b,c + 2 more...`. */
export function firstFew(items: readonly string[], max: number, separator = ','): string {
  const shown = items.slice(0, max).join(separator);
  return items.length > max ? `${shown} + ${items.length - max} more...` : shown;
}

const ACCESS_MODES: readonly [string, string][] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

/** `RWO,RWX`: always in this order, each once. */
export function accessModesText(modes: readonly string[] | null | undefined): string {
  return ACCESS_MODES.filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

/** The IPs or host names of a load balancer, sorted, without duplicates. */
export function loadBalancerText(
  ingress: readonly { readonly ip?: string; readonly hostname?: string }[] | null | undefined,
): string {
  const addresses = (ingress ?? [])
    .map((entry) => entry.ip || entry.hostname || '')
    .filter((address) => address !== '');
  return [...new Set(addresses)].sort().join(',');
}
