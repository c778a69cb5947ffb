/** One line of a log: JSON as level, message and fields; what is searched for is marked. */
import { visible } from '../format.ts';
import type { Health } from '../health.ts';

const MAX_LINE = 4000;
const LEVELS = ['level', 'severity', 'lvl'];
const MESSAGES = ['msg', 'message'];
const TIMES = ['ts', 'time', 'timestamp', '@timestamp'];

export function LogText({ text, json, search }: { text: string; json: boolean; search: string }) {
  const fields = json && text.startsWith('{') && text.length <= MAX_LINE ? fieldsOf(text) : undefined;
  if (!fields) return <Marked text={visible(text, MAX_LINE)} search={search} />;
  const take = (names: readonly string[]): string => {
    const name = names.find((each) => fields.has(each));
    if (name === undefined) return '';
    const value = fields.get(name);
    fields.delete(name);
    return asText(value);
  };
  const [time, level, message] = [take(TIMES), take(LEVELS), take(MESSAGES)];
  return (
    <bdi>
      {time !== '' && <span class="pair">{visible(time, 40)} </span>}
      {level !== '' && <span class={`level ${healthOfLevel(level)}`}>{visible(level, 10).toUpperCase()}</span>}
      {level !== '' && ' '}
      <Marked text={visible(message, MAX_LINE)} search={search} />
      {[...fields].map(([name, value]) => (
        <span key={name} class="pair">
          {' '}
          <Marked text={visible(`${name}=${asText(value)}`, 500)} search={search} />
        </span>
      ))}
    </bdi>
  );
}

function fieldsOf(text: string): Map<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? new Map(Object.entries(value))
      : undefined;
  } catch {
    return undefined;
  }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function healthOfLevel(level: string): Health | '' {
  if (/^(?:err|fatal|crit|panic|alert|emerg)/i.test(level)) return 'bad';
  return /^warn/i.test(level) ? 'wait' : '';
}

function Marked({ text, search }: { text: string; search: string }) {
  const at = search === '' ? -1 : text.toLowerCase().indexOf(search);
  if (at < 0) return <bdi>{text}</bdi>;
  return (
    <bdi>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + search.length)}</mark>
      {text.slice(at + search.length)}
    </bdi>
  );
}
