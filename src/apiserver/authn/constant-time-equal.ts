import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares secrets in constant time: the time must not reveal how many characters are right. */
export function constantTimeEqual(a: string, b: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
