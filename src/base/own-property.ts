/** Own members of JSON objects, whose keys may also be names that every JavaScript object inherits. */
type JsonRecord = Readonly<Record<string, unknown>>;

/** A function is never a JSON value, so it is an inherited method. */
export function getOwn(record: JsonRecord, key: string): unknown {
  const value = record[key];
  if (typeof value !== 'function' && key !== '__proto__') return value;
  return Object.hasOwn(record, key) ? value : undefined;
}

export function setOwn(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
  else record[key] = value;
}
