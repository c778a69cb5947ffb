/** Asks why an object is not as its spec asks for. */
import type { Answer } from '../../answers.ts';
import { ask } from './request.ts';
import type { ResourceType } from './resources.ts';

export async function askWhy(
  type: ResourceType,
  { namespace, name, signal }: { namespace: string; name: string; signal?: AbortSignal },
): Promise<Answer> {
  return ask<Answer>('why', {
    query: { reference: `${type.key}/${name}`, namespace },
    ...(signal ? { signal } : {}),
  });
}
