/** A shell in a container, over the exec WebSocket of the API. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiObject, PodObject } from '../api/objects.ts';
import { visible } from '../format.ts';
import { Notice } from '../parts/basics.tsx';
import { Field, LineForm, TextField } from '../parts/fields.tsx';
import { T } from '../texts.ts';

export function ShellTab({ object }: { object: ApiObject }) {
  const pod = object as PodObject;
  const running = (pod.status?.containerStatuses ?? [])
    .filter(({ state }) => state?.['running'])
    .map(({ name }) => name);
  const [container, setContainer] = useState(running[0] ?? '');
  const [command, setCommand] = useState('sh');
  const [session, setSession] = useState<{ id: number; container: string; command: string }>();
  if (running.length === 0) return <Notice>{T.shell.noContainer}</Notice>;
  return (
    <>
      <LineForm
        submit={T.shell.connect}
        onSubmit={() => setSession({ id: (session?.id ?? 0) + 1, container: container || running[0]!, command })}
      >
        <Field label={T.shell.container}>
          <select value={container} onChange={(event) => setContainer(event.currentTarget.value)}>
            {running.map((name) => (
              <option key={name} value={name}>
                {visible(name)}
              </option>
            ))}
          </select>
        </Field>
        <TextField label={T.shell.command} value={command} onChange={setCommand} />
      </LineForm>
      {session && <Terminal key={session.id} pod={pod} container={session.container} command={session.command} />}
    </>
  );
}

function Terminal({ pod, container, command }: { pod: PodObject; container: string; command: string }) {
  const parent = useRef<HTMLDivElement>(null);
  const [ended, setEnded] = useState(false);
  useEffect(() => {
    let close: (() => void) | undefined;
    let left = false;
    void import('../parts/terminal.ts').then(({ openTerminal }) => {
      if (left) return;
      const { namespace = '', name } = pod.metadata;
      close = openTerminal(parent.current!, { namespace, name, container, command, onEnd: () => setEnded(true) });
    });
    return () => {
      left = true;
      close?.();
    };
  }, []);
  return (
    <>
      <div class="terminal" ref={parent} />
      {ended && <Notice>{T.shell.ended}</Notice>}
    </>
  );
}
