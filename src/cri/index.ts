/**
 * The Container Runtime Interface, v1: the contract between a kubelet and a container runtime, as a .proto, as
 * TypeScript, and over a Unix socket. In one process a kubelet calls the runtime's object directly; every field is
 * optional on both ways, as proto3 has it. Nothing else lives here.
 */
import { connectGrpc, GrpcServer, type GrpcContract } from '../grpc/index.ts';
import { descriptor, PACKAGE, type ImageService, type RuntimeService } from './runtime-v1.generated.ts';

export type * from './runtime-v1.generated.ts';
export { GrpcError as CriError } from '../grpc/index.ts';

const contract: GrpcContract = { package: PACKAGE, descriptor };

/** Both services of a runtime. */
export interface ContainerRuntime {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
}

export interface CriConnection extends ContainerRuntime {
  close(): void;
}

/** Connects to a runtime's socket, e.g. `unix:///run/containerd/containerd.sock`. */
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

/** Serves a runtime; the caller makes it listen and closes it. */
export function serveRuntime({ runtime, images }: ContainerRuntime): GrpcServer {
  return new GrpcServer().add(contract, 'RuntimeService', runtime).add(contract, 'ImageService', images);
}
