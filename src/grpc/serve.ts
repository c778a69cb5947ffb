/** A gRPC server of contracts' services. */
import {
  Server,
  ServerCredentials,
  status,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { errorMessage } from '../base/index.ts';
import { methodsOf, type GrpcContract } from './contract.ts';
import { GrpcError } from './grpc-error.ts';

type Implementation = Record<string, ((request: object, options: { signal: AbortSignal }) => unknown) | undefined>;

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

export class GrpcServer {
  readonly #server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  });

  /** Serves an object that has the service's methods; one that it lacks is answered with UNIMPLEMENTED. */
  add<Service extends object>(contract: GrpcContract, name: string, implementation: Service): this {
    const methods = methodsOf(contract, name);
    const target = implementation as Implementation;
    const definition = Object.fromEntries(methods.map((method) => [method.name, method.definition]));
    const handlers: UntypedServiceImplementation = {};
    for (const {
      name: method,
      definition: { responseStream, requestStream },
    } of methods) {
      if (requestStream) continue;
      handlers[method] = responseStream ? streaming(target, method) : unary(target, method);
    }
    this.#server.addService(definition, handlers);
    return this;
  }

  /** `unix:///run/x.sock` or `127.0.0.1:0`; returns the port, 0 for a socket. */
  listen(address: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
  }

  /** Aborts open calls: streams do not end by themselves. */
  close(): void {
    this.#server.forceShutdown();
  }
}

function unary(target: Implementation, method: string): handleUnaryCall<object, object> {
  return (call, answer: sendUnaryData<object>) => {
    const ended = new AbortController();
    call.on('cancelled', () => ended.abort());
    void (async () => call.request)()
      .then((request) => implementationOf(target, method).call(target, request, { signal: ended.signal }))
      .then(
        (response) => answer(null, response as object),
        (error: unknown) => answer(asServiceError(error)),
      );
  };
}

function streaming(target: Implementation, method: string): handleServerStreamingCall<object, object> {
  return (call) => {
    const ended = new AbortController();
    call.on('cancelled', () => ended.abort());
    const pump = async (): Promise<void> => {
      const responses = implementationOf(target, method).call(target, call.request, {
        signal: ended.signal,
      }) as AsyncIterable<object>;
      for await (const response of responses) {
        if (ended.signal.aborted) return;
        if (!call.write(response))
          await new Promise((resolve) => call.once('drain', resolve).once('cancelled', resolve));
      }
      call.end();
    };
    void pump().catch((error: unknown) => call.emit('error', asServiceError(error)));
  };
}

function implementationOf(target: Implementation, method: string) {
  const implementation = target[method];
  if (!implementation) throw new GrpcError('UNIMPLEMENTED', `${method} is not implemented`);
  return implementation;
}

function asServiceError(error: unknown): { code: status; details: string } {
  if (error instanceof GrpcError) return { code: status[error.code], details: error.message };
  return { code: status.UNKNOWN, details: errorMessage(error) };
}
