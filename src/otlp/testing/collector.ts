/** An OTLP collector for tests: a gRPC server that keeps what it was sent. */
import { GrpcServer, type GrpcError } from '../../grpc/index.ts';
import { descriptor, PACKAGE, type ExportTraceServiceRequest, type OtlpSpan } from '../trace-service.generated.ts';

export class Collector {
  readonly requests: ExportTraceServiceRequest[] = [];
  /** Calls fail with it. */
  refuse: GrpcError | undefined;
  readonly #server = new GrpcServer();

  /** Returns the endpoint, on loopback. */
  async listen(): Promise<string> {
    const service = {
      export: (request: ExportTraceServiceRequest) => {
        if (this.refuse) throw this.refuse;
        this.requests.push(request);
        return Promise.resolve({});
      },
    };
    this.#server.add({ package: PACKAGE, descriptor }, 'TraceService', service);
    return `127.0.0.1:${await this.#server.listen('127.0.0.1:0')}`;
  }

  close(): void {
    this.#server.close();
  }

  get spans(): OtlpSpan[] {
    return this.requests.flatMap(({ resourceSpans = [] }) =>
      resourceSpans.flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(({ spans = [] }) => spans)),
    );
  }

  /** Of the process with that `service.name`. */
  spansOf(service: string): OtlpSpan[] {
    return this.requests.flatMap(({ resourceSpans = [] }) =>
      resourceSpans
        .filter(({ resource }) => attributesOf(resource ?? {})['service.name'] === service)
        .flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(({ spans = [] }) => spans)),
    );
  }
}

export const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex');

export const attributesOf = ({ attributes = [] }: Pick<OtlpSpan, 'attributes'>): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key = '', value = {} }) => [key, Object.values(value)[0]]));
