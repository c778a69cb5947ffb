/** Media types that operations consume and produce. */
import type { Operation } from './operations.ts';

const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
const CUSTOM_PATCH_TYPES = PATCH_TYPES.filter((type) => !type.includes('strategic'));
const OBJECT_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const CUSTOM_OBJECT_TYPES = ['application/json', 'application/yaml'];
const EVENT_TYPES = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];

export const RESPONSE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  401: 'Unauthorized',
};

export function consumedTypes({ method, action, custom, produces, responses }: Operation): string[] {
  if (action === undefined) return produces === 'objects' ? OBJECT_TYPES : responses['200'] ? ['application/json'] : [];
  if (method !== 'patch' || action === 'connect') return custom ? [...CUSTOM_OBJECT_TYPES] : ['*/*'];
  return custom ? CUSTOM_PATCH_TYPES : PATCH_TYPES;
}

export function producedTypes({ produces, custom, action }: Operation): string[] {
  if (produces === 'key set') return ['application/jwk-set+json'];
  if (action === undefined) return produces === 'anything' ? ['application/json'] : OBJECT_TYPES;
  if (produces === 'anything') return ['*/*'];
  if (produces === 'text') return ['text/plain', ...OBJECT_TYPES];
  if (custom) return CUSTOM_OBJECT_TYPES;
  return produces === 'objects' ? OBJECT_TYPES : [...OBJECT_TYPES, ...EVENT_TYPES];
}
