/**
 * gRPC contracts as TypeScript interfaces: a service of a generated contract (`*.generated.ts`) is called, and served, as
 * an object with one method per RPC. Not part of the kernel: only components that use gRPC load it.
 */
export { connectGrpc, type GrpcConnection } from './connect.ts';
export { GrpcServer } from './serve.ts';
export { GrpcError, grpcStatus, type GrpcStatusName } from './grpc-error.ts';
export { messageCodec, type GrpcContract } from './contract.ts';
