/** Ports of a pod or Service, opened on this machine. */
import { useEffect } from 'preact/hooks';
import {
  closeForward,
  forwards,
  loadForwards,
  openForward,
  type Forward,
  type ForwardTarget,
} from '../api/forwards.ts';
import type { PodObject } from '../api/objects.ts';
import { messageOf } from '../api/request.ts';
import { visible } from '../format.ts';
import { Card } from '../parts/basics.tsx';
import { toast } from '../parts/toasts.tsx';
import { objectLink } from '../router.ts';
import { T } from '../texts.ts';
import type { TabProps } from './tab-props.ts';

const MAX_PORTS = 8;

function portsOf({ type, object }: TabProps): number[] {
  const declared =
    type.key === 'services'
      ? ((object.spec?.['ports'] ?? []) as readonly { port?: number; protocol?: string }[])
      : ((object as PodObject).spec?.containers ?? []).flatMap(({ ports = [] }) =>
          ports.map(({ containerPort, protocol }) => ({ port: containerPort, protocol })),
        );
  const numbers = declared.flatMap(({ port, protocol = 'TCP' }) =>
    typeof port === 'number' && protocol === 'TCP' ? [port] : [],
  );
  return [...new Set(numbers)].slice(0, MAX_PORTS);
}

/** A shell's word: names of objects need no quotes, hostile ones get them. */
const word = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

export function PortForward({ type, object }: TabProps) {
  const ports = type.key === 'pods' || type.key === 'services' ? portsOf({ type, object }) : [];
  const { namespace = 'default', name } = object.metadata;
  useEffect(() => {
    if (ports.length > 0) void loadForwards().catch(() => undefined);
  }, [object.metadata.uid]);
  if (ports.length === 0) return null;
  const kind = type.key === 'services' ? 'services' : 'pods';
  return (
    <Card title={T.object.ports}>
      <ul class="forwards">
        {ports.map((port) => (
          <Port key={port} target={{ kind, namespace, name, port }} />
        ))}
      </ul>
      <p class="dim">{T.object.forward}</p>
    </Card>
  );
}

function Port({ target }: { target: ForwardTarget }) {
  const { kind, namespace, name, port } = target;
  const forward = forwards.value.find(
    (each) => each.kind === kind && each.namespace === namespace && each.name === name && each.port === port,
  );
  const local = port < 1024 ? port + 8000 : port;
  const object = `${kind === 'services' ? 'service' : 'pod'}/${name}`;
  const command = `kubectl port-forward -n ${word(namespace)} ${word(object)} ${local}:${port}`;
  return (
    <li>
      <strong>{port}</strong>
      {forward ? (
        <ForwardLink forward={forward} />
      ) : (
        <button
          type="button"
          aria-label={`${T.object.openPort} ${port}`}
          onClick={() =>
            void openForward(target).catch((error: unknown) => toast(visible(messageOf(error), 400), { bad: true }))
          }
        >
          {T.object.openPort}
        </button>
      )}
      <span class="grow" />
      <button
        type="button"
        class="quiet"
        aria-label={`${T.object.copyCommand}: ${port}`}
        title={visible(command)}
        onClick={() => void navigator.clipboard.writeText(command).then(() => toast(T.object.copied))}
      >
        {T.object.copyCommand}
      </button>
    </li>
  );
}

/** Where a forwarded port can be opened, and the end of it. */
function ForwardLink({ forward: { id, url, port, problem } }: { forward: Forward }) {
  return (
    <>
      <a href={url} target="_blank" rel="noreferrer noopener">
        {url}
      </a>
      <button
        type="button"
        aria-label={`${T.object.closePort} ${port}`}
        onClick={() => void closeForward(id).catch((error: unknown) => toast(messageOf(error), { bad: true }))}
      >
        {T.object.closePort}
      </button>
      {problem !== undefined && <span class="problem">{visible(problem, 300)}</span>}
    </>
  );
}

/** All open ports of this session. */
export function OpenPorts() {
  useEffect(() => {
    void loadForwards().catch(() => undefined);
  }, []);
  if (forwards.value.length === 0) return null;
  return (
    <Card title={T.object.openPorts}>
      <ul class="forwards">
        {forwards.value.map((forward) => (
          <li key={forward.id}>
            <a href={objectLink(forward.kind, forward)}>{visible(`${forward.namespace}/${forward.name}`, 120)}</a>
            <strong>{forward.port}</strong>
            <ForwardLink forward={forward} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
