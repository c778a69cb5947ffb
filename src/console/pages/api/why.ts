/** Asks why an object is not as its spec asks for. */
import { ask } from './request.ts';
import type { ResourceType } from './resources.ts';

export interface Explanation {
  readonly subject: { readonly kind: string; readonly namespace?: string; readonly name: string };
  readonly state: string;
  readonly healthy: boolean;
  readonly causes: readonly Cause[];
}

export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly remedy?: string;
  readonly evidence?: readonly string[];
  readonly because?: readonly Explanation[];
}

export interface Answer extends Explanation {
  readonly unknown: readonly string[];
}

export async function askWhy(
  type: ResourceType,
  { namespace, name, signal }: { namespace: string; name: string; signal?: AbortSignal },
): Promise<Answer> {
  return ask<Answer>('why', { query: { reference: `${type.key}/${name}`, namespace }, ...(signal ? { signal } : {}) });
}
