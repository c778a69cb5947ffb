/** Resolves a RuntimeClass to its handler. */
import type { RuntimeClass } from '../../api/generated/node-v1.ts';
import { isNotFound, type Client } from '../../client/index.ts';

export async function runtimeHandlerOf(client: Client, name: string): Promise<string> {
  try {
    const found: RuntimeClass = await client.resource('node.k8s.io/v1/runtimeclasses').get({ name });
    return found.handler;
  } catch (error) {
    if (isNotFound(error)) throw new Error(`RuntimeClass ${JSON.stringify(name)} not found`, { cause: error });
    throw error;
  }
}
