/** Resources that are questions, not objects: a POST is answered with the filled-in review, and nothing is stored. */
import type { Verb } from '../route.ts';

export const reviewHandlers: Record<string, Readonly<Record<string, Verb>> | undefined> = {};
