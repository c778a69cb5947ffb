/** A history as text. */
import type { FieldChange } from './changes.ts';
import type { ObjectHistory, Revision } from './history.ts';

const MAX_CHANGES = 20;
const MAX_VALUE = 80;

export function historyText({ kind, namespace, name, revisions }: ObjectHistory): string {
  const title = `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
  if (revisions.length === 0) return `${title}: no revision is kept\n`;
  return `${[`${title}, the newest first`, ...revisions.flatMap(linesOf)].join('\n')}\n`;
}

function linesOf(revision: Revision): string[] {
  const { time = 'time not known', user, manager, cause, event } = revision;
  const who = user === undefined ? '' : ` by ${user}`;
  const how = manager === undefined ? '' : ` with ${manager}`;
  const what = event === 'oldest' ? 'as it was: earlier revisions are not kept' : event;
  const why = cause === undefined ? '' : `  because of ${cause}`;
  const shown = revision.changes.slice(0, MAX_CHANGES).map((change) => `    ${changeText(change)}`);
  const rest = revision.changes.length - shown.length;
  return [
    `${revision.revision}  ${time}  ${what}${who}${how}${why}`,
    ...shown,
    ...(rest > 0 ? [`    and ${rest} more fields`] : []),
  ];
}

function changeText({ path, ...values }: FieldChange): string {
  if (!('before' in values)) return `+ ${path}: ${valueText(values.after)}`;
  if (!('after' in values)) return `- ${path}: ${valueText(values.before)}`;
  return `~ ${path}: ${valueText(values.before)} -> ${valueText(values.after)}`;
}

function valueText(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text;
}
