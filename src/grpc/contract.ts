/** A contract's services with their encoders, from its generated descriptor. */
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';

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

export function methodsOf(contract: GrpcContract, service: string): ContractMethod[] {
  let definitions = parsed.get(contract.descriptor);
  if (!definitions) {
    // Absent fields stay absent on both sides, so that a call in the process and one over a socket look the same.
    definitions = fromJSON(contract.descriptor as never, { longs: Number, enums: String, bytes: Buffer as never });
    parsed.set(contract.descriptor, definitions);
  }
  const definition = definitions[contract.package === '' ? service : `${contract.package}.${service}`];
  if (!definition) throw new Error(`the contract ${contract.package} has no service ${service}`);
  return Object.entries(definition as ServiceDefinition).map(([name, method]) => ({
    name: name.charAt(0).toLowerCase() + name.slice(1),
    definition: method as MethodDefinition<object, object>,
  }));
}
