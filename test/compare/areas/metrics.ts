/** The names and types of metrics; those of the programming language's runtime are each server's own. */
import type { Area, Conversation } from '../conversation.ts';

export const metrics: Area = { weight: 1, conversations };

function* conversations(): Generator<Conversation> {
  yield {
    topic: 'metrics',
    namespace: false,
    steps: [{ method: 'GET', path: '/metrics', headers: { accept: '*/*' }, only: names }],
  };
}

function names(body: unknown): unknown {
  const lines = Array.isArray(body) ? (body as string[]) : [];
  const types = lines.flatMap((line) => {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    return name !== undefined && !/^(?:go|process|nodejs)_/.test(name) ? [`${name} ${type}`] : [];
  });
  return types.sort();
}
