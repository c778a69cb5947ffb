/** The tree of causes that `why` answers with. */
import { useEffect, useState } from 'preact/hooks';
import type { Cause, Explanation, Answer } from '../../answers.ts';
import { messageOf } from '../api/request.ts';
import { typeOfKind, type ResourceType } from '../api/resources.ts';
import { askWhy } from '../api/why.ts';
import { visible } from '../format.ts';
import { objectLink } from '../router.ts';
import { T } from '../texts.ts';
import { Notice } from './basics.tsx';

interface Asked {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  /** A new one asks again. */
  readonly version?: string | undefined;
}

function useWhy({ type, namespace, name, version }: Asked): { answer?: Answer; error?: string } {
  const [result, setResult] = useState<{ answer?: Answer; error?: string }>({});
  useEffect(() => {
    const asked = new AbortController();
    askWhy(type, { namespace, name, signal: asked.signal }).then(
      (answer) => setResult({ answer }),
      (error: unknown) => {
        if (!asked.signal.aborted) setResult({ error: messageOf(error) });
      },
    );
    return () => asked.abort();
  }, [type.key, namespace, name, version]);
  return result;
}

export function Why(asked: Asked) {
  const { answer, error } = useWhy(asked);
  if (error !== undefined) return <Notice kind="error">{`${T.why.failed}: ${visible(error)}`}</Notice>;
  if (answer === undefined) return <Notice>{T.why.asking}</Notice>;
  return (
    <div class="why">
      <p class="why-state">
        <strong>{visible(answer.state)}</strong>
        {answer.healthy && answer.causes.length === 0 ? `: ${T.why.healthy}` : ''}
      </p>
      <Causes causes={answer.causes} />
      {answer.unknown.length > 0 && (
        <details>
          <summary>{T.why.unknown}</summary>
          <ul>
            {answer.unknown.map((line) => (
              <li key={line}>{visible(line)}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

const Causes = ({ causes }: { causes: readonly Cause[] }) => (
  <ul class="causes">
    {causes.map(({ reason, message, evidence = [], remedy, because = [] }, index) => (
      <li key={index}>
        <p>
          <span class="reason">{visible(reason)}</span> {visible(message)}
        </p>
        {evidence.length > 0 && (
          <ul class="evidence">
            {evidence.map((line, at) => (
              <li key={at}>{visible(line)}</li>
            ))}
          </ul>
        )}
        {remedy && (
          <p class="remedy">
            <span>{T.why.helps}:</span> {visible(remedy)}
          </p>
        )}
        {because.map((explanation, at) => (
          <Because key={at} explanation={explanation} />
        ))}
      </li>
    ))}
  </ul>
);

function Because({ explanation: { subject, state, causes } }: { explanation: Explanation }) {
  const type = typeOfKind(subject.kind);
  const name = `${subject.kind} ${visible(subject.name)}`;
  return (
    <div class="because">
      <p>
        {type ? <a href={objectLink(type.key, subject)}>{name}</a> : name}: {visible(state)}
      </p>
      <Causes causes={causes} />
    </div>
  );
}

/** The first cause in one line, for lists. */
export function FirstCause(asked: Asked) {
  const { answer, error } = useWhy(asked);
  if (error !== undefined) return <span class="dim">{visible(error, 200)}</span>;
  if (answer === undefined) return <span class="dim">{T.why.asking}</span>;
  const cause = deepest(answer);
  if (cause === undefined) return <span class="dim">{visible(answer.state)}</span>;
  return (
    <span>
      <span class="reason">{visible(cause.reason)}</span> {visible(cause.message, 300)}
      {cause.remedy && (
        <span class="remedy">
          <span>{T.why.helps}:</span> {visible(cause.remedy, 300)}
        </span>
      )}
    </span>
  );
}

/** The cause behind the causes. */
function deepest({ causes: [first] }: Explanation): Cause | undefined {
  const [inner] = first?.because ?? [];
  return (inner && deepest(inner)) ?? first;
}
