/**
 * The order of ports in Endpoints and EndpointSlices. Upstream sorts them by the FNV hash of how Go prints them, which
 * clients see: a Service with several ports has the same order with either controller.
 */
import { fnv128a } from '../../base/index.ts';

interface Port {
  readonly name?: string | undefined;
  readonly port?: number | undefined;
  readonly protocol?: string | undefined;
  readonly appProtocol?: string | undefined;
}

const optional = (text: string | undefined): string => text ?? '<nil>';

const inEndpoints = ({ name = '', port = 0, protocol = '', appProtocol }: Port): string =>
  `(v1.EndpointPort){Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol} AppProtocol:(*string)${optional(appProtocol)}}`;

const inSlice = ({ name, port, protocol, appProtocol }: Port): string =>
  `(v1.EndpointPort){Name:(*string)${optional(name)} Protocol:(*v1.Protocol)${optional(protocol)} Port:(*int32)${port ?? '<nil>'} AppProtocol:(*string)${optional(appProtocol)}}`;

const ordered =
  (text: (port: Port) => string) =>
  <T extends Port>(ports: readonly T[]): T[] =>
    ports
      .map((port) => ({ port, hash: ports.length > 1 ? fnv128a(Buffer.from(text(port))) : '' }))
      .sort((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0))
      .map(({ port }) => port);

export const orderedEndpointsPorts = ordered(inEndpoints);
export const orderedSlicePorts = ordered(inSlice);
