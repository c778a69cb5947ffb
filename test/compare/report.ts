/** What a person reads: the classes of differences, the most frequent first, each with a request, and the counts. */
import { reasonFor } from './accepted-differences.ts';
import type { Outcome } from './compare.ts';
import type { Difference } from './difference.ts';

export interface Counts {
  requests: number;
  identical: number;
  accepted: number;
  different: number;
}

export interface DifferenceClass {
  readonly area: string;
  readonly path: string;
  readonly what: Difference['what'];
  /** How many differences, and of which kinds or topics. */
  count: number;
  readonly topics: Map<string, number>;
  /** What else differs so: a list is easier to mend than a first example. */
  readonly also: Set<string>;
  /** The first one that was found. */
  readonly example: { readonly outcome: Outcome; readonly difference: Difference };
}

export interface Report {
  readonly counts: ReadonlyMap<string, Counts>;
  readonly total: Counts;
  readonly classes: readonly DifferenceClass[];
  /** Reasons of accepted differences, and how often. */
  readonly accepted: ReadonlyMap<string, number>;
}

/** Further differences that are shown of one class. */
const MORE = 6;

export function makeReport(outcomes: readonly Outcome[], reason = reasonFor): Report {
  const counts = new Map<string, Counts>();
  const classes = new Map<string, DifferenceClass>();
  const accepted = new Map<string, number>();
  for (const outcome of outcomes) {
    const count = counts.get(outcome.area) ?? counts.set(outcome.area, none()).get(outcome.area)!;
    const open: Difference[] = [];
    for (const difference of outcome.differences) {
      const why = reason(outcome.area, `${outcome.request.method} ${outcome.request.path}`, difference);
      if (why === undefined) open.push(difference);
      else accepted.set(why, (accepted.get(why) ?? 0) + 1);
    }
    count.requests++;
    count[open.length > 0 ? 'different' : outcome.differences.length > 0 ? 'accepted' : 'identical']++;
    for (const difference of open) addTo(classes, outcome, difference);
  }
  return {
    counts,
    total: sum([...counts.values()]),
    classes: [...classes.values()].sort((a, b) => b.count - a.count),
    accepted,
  };
}

function none(): Counts {
  return { requests: 0, identical: 0, accepted: 0, different: 0 };
}

function sum(all: readonly Counts[]): Counts {
  const total = none();
  for (const one of all) for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += one[key];
  return total;
}

function addTo(classes: Map<string, DifferenceClass>, outcome: Outcome, difference: Difference): void {
  const path = placeOf(difference.path);
  const key = [
    outcome.area,
    path,
    difference.what,
    ...(isText(difference) ? [shapeOf(difference.ours), shapeOf(difference.theirs)] : []),
  ].join('\n');
  const found = classes.get(key) ?? {
    area: outcome.area,
    path,
    what: difference.what,
    count: 0,
    topics: new Map<string, number>(),
    also: new Set<string>(),
    example: { outcome, difference },
  };
  classes.set(key, found);
  found.count++;
  if (found.count > 1 && found.also.size < MORE)
    found.also.add(shorten(`${show(difference.ours)} / ${show(difference.theirs)}`, 160));
  found.topics.set(outcome.topic, (found.topics.get(outcome.topic) ?? 0) + 1);
}

/** Elements of a list, or paths and schemas of a document, are one place. */
function placeOf(path: string): string {
  return path.replace(/\[\d+\]/g, '[]').replace(/\["(?:[^"\\]|\\.)*"\]/g, '["…"]');
}

function isText({ path, what }: Difference): boolean {
  return what === 'status' || /message|causes|warning/.test(path);
}

/** A text without the names and numbers in it. */
function shapeOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/^[\w.[\]]+: (?=FieldValue)/, '')
    .replace(/[a-zA-Z]+[\w]*(?:\[[^\]]*\])?(?:\.[\w]+(?:\[[^\]]*\])?)+/g, 'PATH')
    .replace(/-?\d+/g, 'N')
    .slice(0, 300);
}

/** Percent of the requests whose answers are equal, or differ as accepted. */
export function agreement({ requests, different }: Counts): number {
  return requests === 0 ? 100 : (100 * (requests - different)) / requests;
}

export function formatReport({ counts, total, classes, accepted }: Report, limit: number): string {
  const lines: string[] = [];
  for (const [i, one] of classes.slice(0, limit).entries()) lines.push(...formatClass(one, i + 1), '');
  if (classes.length > limit)
    lines.push(`… ${classes.length - limit} more classes of differences (--show N, --json FILE)`, '');
  for (const [reason, count] of accepted) lines.push(`accepted ${count} times: ${reason}`);
  const width = Math.max(...[...counts.keys()].map((area) => area.length), 5);
  const cell = (value: number, name: string, size: number): string => `  ${String(value).padStart(size)} ${name}`;
  const row = (name: string, count: Counts): string =>
    `${name.padEnd(width)}${cell(count.requests, 'requests', 6)}${cell(count.identical, 'identical', 6)}` +
    `${cell(count.accepted, 'accepted', 5)}${cell(count.different, 'different', 5)}` +
    `  ${agreement(count).toFixed(2).padStart(6)} %`;
  for (const [area, count] of [...counts].sort(([a], [b]) => a.localeCompare(b))) lines.push(row(area, count));
  lines.push(row('total', total));
  return lines.join('\n');
}

function formatClass({ area, path, what, count, topics, also, example }: DifferenceClass, number: number): string[] {
  const { outcome, difference } = example;
  const { request } = outcome;
  const kinds = [...topics].sort(([, a], [, b]) => b - a).map(([topic, times]) => `${topic} ${times}`);
  const some = kinds.length > 8 ? [...kinds.slice(0, 8), '…'] : kinds;
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => ` ${name}: ${value};`);
  const repeat = `--conversation ${area}/${outcome.index}, step ${outcome.step}`;
  const about = request.about ? `  # ${request.about}` : '';
  const sent = request.raw ?? (request.body === undefined ? '' : JSON.stringify(request.body));
  return [
    `${number}. ${count} × ${area} ${path} ${what}  (${some.join(', ')})`,
    `   ${request.method} ${request.path}${headers.join('')}${about}  (${repeat})`,
    ...(sent === '' ? [] : [`   ${shorten(sent, 1200)}`]),
    `   k8ts:  ${show(difference.ours)}`,
    `   other: ${show(difference.theirs)}`,
    ...[...also].map((text) => `   also:  ${text}`),
  ];
}

function show(value: unknown): string {
  return value === undefined
    ? 'nothing'
    : shorten(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), 600);
}

function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`;
}
