/** What is served below an object, by `plural/subresource` and verb; `*` stands for every resource. */
import { get } from '../verbs/get.ts';
import { patch } from '../verbs/patch.ts';
import { update } from '../verbs/update.ts';
import type { Verb } from '../route.ts';

export const subresourceHandlers: Record<string, Partial<Record<string, Verb>> | undefined> = {
  '*/status': { get, update, patch },
};
