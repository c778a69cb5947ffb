/** Validates container ports and host ports. */
import type { Container, ContainerPort } from '../../../../api/generated/core-v1.ts';
import { duplicate, type FieldError, invalidValue, notSupported, type Path, required } from '../../../errors/index.ts';
import { portName, portNumber } from '../../../names/index.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function validateContainerPorts(errors: FieldError[], ports: readonly ContainerPort[], at: Path): void {
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    const here = at.index(i);
    if (port.name) {
      const messages = portName(port.name);
      for (const message of messages) errors.push(invalidValue(here.child('name'), port.name, message));
      if (messages.length === 0 && names.has(port.name)) errors.push(duplicate(here.child('name'), port.name));
      if (messages.length === 0) names.add(port.name);
    }
    if (!port.containerPort) errors.push(required(here.child('containerPort')));
    else
      for (const message of portNumber(port.containerPort))
        errors.push(invalidValue(here.child('containerPort'), port.containerPort, message));
    if (port.hostPort)
      for (const message of portNumber(port.hostPort))
        errors.push(invalidValue(here.child('hostPort'), port.hostPort, message));
    validateProtocol(errors, port.protocol, here.child('protocol'));
  }
}

export function validateProtocol(errors: FieldError[], protocol: string | undefined, at: Path): void {
  if (!protocol) errors.push(required(at));
  else if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(at, protocol, PROTOCOLS));
}

/** Containers that run at the same time must not have the same host port. */
export function validateHostPortConflicts(errors: FieldError[], containers: readonly Container[], at: Path): void {
  let seen: Set<string> | undefined;
  for (let c = 0; c < containers.length; c++) {
    const ports = containers[c]!.ports;
    if (!ports) continue;
    for (const [i, { hostPort, hostIP = '', protocol = '' }] of ports.entries()) {
      if (!hostPort) continue;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      seen ??= new Set();
      if (seen.has(key)) errors.push(duplicate(at.index(c).child('ports').index(i).child('hostPort'), key));
      else seen.add(key);
    }
  }
}

/** With hostNetwork the host port must equal the container port. A template may omit the host port. */
export function validateHostNetworkPorts(
  errors: FieldError[],
  containers: readonly Container[],
  at: Path,
  resourceIsPod: boolean,
): void {
  for (const [c, { ports = [] }] of containers.entries()) {
    for (const [i, { hostPort = 0, containerPort = 0 }] of ports.entries()) {
      if ((resourceIsPod || hostPort !== 0) && hostPort !== containerPort) {
        const here = at.index(c).child('ports').index(i).child('hostPort');
        errors.push(invalidValue(here, hostPort, 'must match `containerPort` when `hostNetwork` is true'));
      }
    }
  }
}
