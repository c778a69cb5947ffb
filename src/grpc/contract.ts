/** A contract's services with their encoders, from its generated descriptor. */
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import { fromJSON, type MessageTypeDefinition } from '@grpc/proto-loader';

export interface GrpcContract {
  /** The contract's package, e.g. `runtime.v1`. */
  readonly package: string;
  readonly descriptor: { readonly nested: object };
}

/** A method as `grpc-js` knows it, with the name that it has in the TypeScript interface. */
export interface ContractMethod {
  readonly name: string;
  readonly definition: MethodDefinition<object, object>;
}

const parsed = new WeakMap<object, ReturnType<typeof fromJSON>>();

function definitionsOf(contract: GrpcContract): ReturnType<typeof fromJSON> {
  let definitions = parsed.get(contract.descriptor);
  if (!definitions) {
    // Absent fields stay absent on both sides, so that a call in the process and one over a socket look the same.
    definitions = fromJSON(contract.descriptor as never, { longs: Number, enums: String, bytes: Buffer as never });
    parsed.set(contract.descriptor, definitions);
  }
  return definitions;
}

const nameIn = (contract: GrpcContract, name: string): string =>
  contract.package === '' ? name : `${contract.package}.${name}`;

/** The bytes of a message of the contract, for one that is stored. */
interface MessageCodec<T extends object> {
  encode(message: T): Buffer;
  decode(bytes: Buffer): T;
}

export function messageCodec<T extends object>(contract: GrpcContract, message: string): MessageCodec<T> {
  const find = (): MessageTypeDefinition<T, T> => {
    const definition = definitionsOf(contract)[nameIn(contract, message)];
    if (!definition) throw new Error(`the contract ${contract.package} has no message ${message}`);
    return definition as unknown as MessageTypeDefinition<T, T>;
  };
  return { encode: (value) => find().serialize(value), decode: (bytes) => find().deserialize(bytes) };
}

export function methodsOf(contract: GrpcContract, service: string): ContractMethod[] {
  const definition = definitionsOf(contract)[nameIn(contract, service)];
  if (!definition) throw new Error(`the contract ${contract.package} has no service ${service}`);
  return Object.entries(definition as ServiceDefinition).map(([name, method]) => ({
    name: name.charAt(0).toLowerCase() + name.slice(1),
    definition: method as MethodDefinition<object, object>,
  }));
}
