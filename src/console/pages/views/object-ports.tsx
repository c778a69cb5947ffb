/** How to reach a port of a pod or Service from here. */
import type { PodObject } from '../api/objects.ts';
import { Card } from '../parts/basics.tsx';
import { toast } from '../parts/toasts.tsx';
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

/**
 * A page of a pod would share its address with the console, and cookies do not tell ports apart: so the console forwards
 * nothing itself, and names the command that does.
 */
export function PortForward({ type, object }: TabProps) {
  const ports = type.key === 'pods' || type.key === 'services' ? portsOf({ type, object }) : [];
  if (ports.length === 0) return null;
  const { namespace = 'default', name } = object.metadata;
  const prefix = type.key === 'services' ? 'service/' : 'pod/';
  return (
    <Card title={T.object.ports}>
      {ports.map((port) => {
        const local = port < 1024 ? port + 8000 : port;
        const command = `kubectl port-forward -n ${word(namespace)} ${word(`${prefix}${name}`)} ${local}:${port}`;
        return (
          <div key={port} class="command">
            <code>{command}</code>
            <button
              type="button"
              aria-label={`${T.object.copy}: ${port}`}
              onClick={() => void navigator.clipboard.writeText(command).then(() => toast(T.object.copied))}
            >
              {T.object.copy}
            </button>
            <a href={`http://localhost:${local}/`} target="_blank" rel="noreferrer noopener">
              {`localhost:${local}`}
            </a>
          </div>
        );
      })}
      <p class="dim">{T.object.forward}</p>
    </Card>
  );
}
