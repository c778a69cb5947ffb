/** The message of whatever was thrown: code may throw values that are not Errors. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
