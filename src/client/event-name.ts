const MAX_NAME = 253;

/** `<object>.<time in nanoseconds, hexadecimal>`, with the object's name shortened so that the whole stays a valid name. */
export function eventName(objectName: string, at: number): string {
  const suffix = `.${(BigInt(Math.round(at * 1000)) * 1000n).toString(16)}`;
  return objectName.slice(0, MAX_NAME - suffix.length) + suffix;
}
