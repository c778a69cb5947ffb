/** Resolves a port of a probe or hook: a number, or the name of a container port. */
import type { Container } from '../../api/generated/core-v1.ts';

export function resolvePort(port: number | string, container: Pick<Container, 'ports' | 'name'>): number {
  const number =
    typeof port === 'number'
      ? port
      : (container.ports?.find(({ name }) => name === port)?.containerPort ??
        (/^\d+$/.test(port) ? Number(port) : undefined));
  if (number === undefined)
    throw new Error(`couldn't find port: ${JSON.stringify(port)} in container ${container.name}`);
  if (number <= 0 || number > 65535) throw new Error(`invalid port number: ${number}`);
  return number;
}
