/** gRPC clients of a contract's services. */
import fs from 'node:fs';
import path from 'node:path';
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { methodsOf, type ContractMethod, type GrpcContract } from './contract.ts';
import { GrpcError, type GrpcStatusName } from './grpc-error.ts';

export interface GrpcConnection {
  /** A client of the service, which connects at the first call. */
  service<Service extends object>(contract: GrpcContract, name: string): Service;
  close(): void;
}

interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Lists of thousands of containers exceed grpc-js' default of 4 MB. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** `unix:///run/x.sock`, `/run/x.sock` or `host:port`; plain, since such sockets are protected by the file system. */
export function connectGrpc(endpoint: string): GrpcConnection {
  const { address, release } = addressOf(endpoint);
  const client = new Client(address, credentials.createInsecure(), {
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    // A peer that restarts is back within a second, not after grpc-js' two minutes.
    'grpc.max_reconnect_backoff_ms': 1000,
    'grpc.default_authority': 'localhost',
  });
  return {
    service: <Service extends object>(contract: GrpcContract, name: string): Service => {
      const methods = methodsOf(contract, name).map((method): [string, unknown] => [
        method.name,
        caller(client, method),
      ]);
      return Object.fromEntries(methods) as Service;
    },
    close: () => {
      client.close();
      release();
    },
  };
}

/** The limit of the kernel for the paths of sockets. */
const MAX_SOCKET_PATH_BYTES = 107;

/** A longer path is named through the descriptor of its directory. */
function addressOf(endpoint: string): { readonly address: string; readonly release: () => void } {
  const file = endpoint.startsWith('/') ? endpoint : /^unix:\/\/(\/.*)$/.exec(endpoint)?.[1];
  if (file === undefined) return { address: endpoint, release: () => {} };
  if (Buffer.byteLength(file) <= MAX_SOCKET_PATH_BYTES) return { address: `unix://${file}`, release: () => {} };
  const { O_RDONLY, O_DIRECTORY } = fs.constants;
  let descriptor: number | undefined = fs.openSync(path.dirname(file), O_RDONLY | O_DIRECTORY);
  return {
    address: `unix:///proc/self/fd/${descriptor}/${path.basename(file)}`,
    release: () => {
      if (descriptor !== undefined) fs.closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

function caller(client: Client, { definition }: ContractMethod): unknown {
  const { path, requestSerialize, responseDeserialize, requestStream, responseStream } = definition;
  if (requestStream) {
    return () => {
      throw new GrpcError('UNIMPLEMENTED', `${path}: client streaming is not supported`);
    };
  }
  if (responseStream) {
    return async function* (request: object, options: CallOptions = {}) {
      const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, new Metadata());
      const abort = (): void => call.cancel();
      options.signal?.addEventListener('abort', abort, { once: true });
      if (options.signal?.aborted) abort();
      try {
        for await (const message of call) yield message as object;
      } catch (error) {
        if (options.signal?.aborted) return;
        throw asGrpcError(error as ServiceError);
      } finally {
        options.signal?.removeEventListener('abort', abort);
        call.cancel();
      }
    };
  }
  return (request: object, options: CallOptions = {}) =>
    new Promise((resolve, reject) => {
      options.signal?.throwIfAborted();
      const call = client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        new Metadata(),
        (error, response) => {
          options.signal?.removeEventListener('abort', abort);
          if (error) reject(asGrpcError(error));
          else resolve(response);
        },
      );
      const abort = (): void => call.cancel();
      options.signal?.addEventListener('abort', abort, { once: true });
    });
}

function asGrpcError(error: ServiceError): GrpcError {
  return new GrpcError((status[error.code] ?? 'UNKNOWN') as GrpcStatusName, error.details || error.message, {
    cause: error,
  });
}
