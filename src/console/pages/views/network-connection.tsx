/** "Try a connection": DNS, policies, the Service's rules and its endpoints, one after the other, for one pod. */
import { useState } from 'preact/hooks';
import type { ConnectionAnswer, ConnectionStep } from '../../answers.ts';
import { askConnection } from '../api/connection.ts';
import type { ApiObject } from '../api/objects.ts';
import { messageOf } from '../api/request.ts';
import { findType } from '../api/resources.ts';
import { visible } from '../format.ts';
import type { Health } from '../health.ts';
import { Card, Notice, Pill } from '../parts/basics.tsx';
import { LineForm, TextField } from '../parts/fields.tsx';
import { useFeed } from '../parts/use-feed.ts';
import { T } from '../texts.ts';

const MAX_SUGGESTED = 500;

/** Names to choose from: pods to start at, Services with their ports to go to. */
function Suggestions({ namespace, services }: { namespace: string; services: readonly ApiObject[] }) {
  const pods = useFeed(findType('pods')!, { namespace });
  const within = namespace || 'default';
  return (
    <>
      <datalist id="connection-from">
        {pods.rows.value
          .filter((row) => row.namespace === within)
          .slice(0, MAX_SUGGESTED)
          .map(({ name }) => (
            <option key={name} value={name} />
          ))}
      </datalist>
      <datalist id="connection-to">
        {services.slice(0, MAX_SUGGESTED).flatMap(({ metadata, spec }) => {
          const ports = (spec?.['ports'] ?? []) as readonly { port?: number }[];
          const name = metadata.namespace === within ? metadata.name : `${metadata.name}.${metadata.namespace ?? ''}`;
          return ports.map(({ port }) => <option key={`${name}:${port}`} value={`service/${name}:${port ?? ''}`} />);
        })}
      </datalist>
    </>
  );
}

interface TryConnectionProps {
  readonly namespace: string;
  readonly services: readonly ApiObject[];
}

export function TryConnection({ namespace, services }: TryConnectionProps) {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [answer, setAnswer] = useState<ConnectionAnswer>();
  const [error, setError] = useState<string>();
  const submit = (): void => {
    setError(undefined);
    askConnection({ from: from.includes('/') ? from : `pod/${from}`, to, namespace }).then(
      setAnswer,
      (problem: unknown) => {
        setAnswer(undefined);
        setError(messageOf(problem));
      },
    );
  };
  return (
    <Card title={T.network.connection.title}>
      <LineForm submit={T.network.connection.ask} onSubmit={submit}>
        <TextField
          label={T.network.connection.from}
          required
          list="connection-from"
          placeholder="web-0"
          value={from}
          onChange={setFrom}
        />
        <TextField
          label={T.network.connection.to}
          required
          list="connection-to"
          placeholder="service/web:80"
          value={to}
          onChange={setTo}
        />
      </LineForm>
      <Suggestions namespace={namespace} services={services} />
      <p class="dim hint">{T.network.connection.hint}</p>
      {error !== undefined && <Notice kind="error">{visible(error)}</Notice>}
      {answer && <Verdict {...answer} />}
    </Card>
  );
}

const healthOf = (passes: boolean | undefined): Health => (passes === undefined ? 'wait' : passes ? 'ok' : 'bad');

function Verdict({ works, cause, steps, unknown }: ConnectionAnswer) {
  const { works: yes, fails, notKnown } = T.network.connection;
  return (
    <div class="why" role="status">
      <p class="why-state">
        <Pill health={healthOf(works)} text={works === undefined ? notKnown : works ? yes : fails} />{' '}
        {cause !== undefined && visible(cause)}
      </p>
      <ol class="causes">
        {steps.map((step, index) => (
          <Step key={index} {...step} />
        ))}
      </ol>
      {unknown.length > 0 && (
        <details>
          <summary>{T.why.unknown}</summary>
          <ul>
            {unknown.map((line) => (
              <li key={line}>{visible(line)}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Step({ step, passes, message, evidence = [], remedy }: ConnectionStep) {
  return (
    <li>
      <p>
        <Pill health={healthOf(passes)} text={visible(step)} /> {visible(message)}
      </p>
      {evidence.length > 0 && (
        <ul class="evidence">
          {evidence.map((line, at) => (
            <li key={at}>{visible(line)}</li>
          ))}
        </ul>
      )}
      {remedy !== undefined && <p class="remedy">{visible(remedy)}</p>}
    </li>
  );
}
