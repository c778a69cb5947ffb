/**
 * The Container Runtime Interface (CRI) v1: the contract between a kubelet and a container runtime, as .proto and
 * TypeScript, with a client and a server over a Unix socket. In one process the kubelet calls the runtime's object
 * directly. As in proto3, every field is optional in both directions.
 */
import { connectGrpc, GrpcServer, type GrpcContract } from '../grpc/index.ts';
import { descriptor, PACKAGE, type ImageService, type RuntimeService } from './runtime-v1.generated.ts';

export type * from './runtime-v1.generated.ts';
export { GrpcError as CriError } from '../grpc/index.ts';

const contract: GrpcContract = { package: PACKAGE, descriptor };

/** The RuntimeService and ImageService of a runtime. */
export interface ContainerRuntime {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
}

export interface CriConnection extends ContainerRuntime {
  close(): void;
}

/** Connects to a runtime endpoint, e.g. `unix:///run/containerd/containerd.sock`. */
export function connectToRuntime(endpoint: string, imageEndpoint = endpoint): CriConnection {
  const connection = connectGrpc(endpoint);
  const imageConnection = imageEndpoint === endpoint ? connection : connectGrpc(imageEndpoint);
  return {
    runtime: connection.service<RuntimeService>(contract, 'RuntimeService'),
    images: imageConnection.service<ImageService>(contract, 'ImageService'),
    close: () => {
      connection.close();
      if (imageConnection !== connection) imageConnection.close();
    },
  };
}

/** A gRPC server for a runtime. The caller must call `listen` and `close`. */
export function serveRuntime({ runtime, images }: ContainerRuntime): GrpcServer {
  return new GrpcServer().add(contract, 'RuntimeService', runtime).add(contract, 'ImageService', images);
}
