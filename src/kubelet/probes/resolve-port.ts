import type { Container } from '../../api/generated/core-v1.ts';

/** The number of a port that is given by number or by its name in the container. */
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
