/** Several errors as one text, as Go's aggregates print them: each once, in brackets when there is more than one. */
export function aggregateMessageOf(messages: readonly string[]): string {
  const different = [...new Set(messages)];
  return different.length === 1 ? different[0]! : `[${different.join(', ')}]`;
}
