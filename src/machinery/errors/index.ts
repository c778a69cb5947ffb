/**
 * What is wrong with a request: the API's StatusErrors with upstream's codes, reasons and wording, and the field errors
 * that make up a 422.
 */
export { aggregateMessage, duplicate, FieldError, type FieldErrorType, forbiddenField, internalFieldError, invalidValue, notFoundValue, notSupported, OMIT_VALUE, path, Path, required, tooLong, tooMany, Verbatim, WHOLE_OBJECT } from './field-error.ts';
export { alreadyExists, applyConflict, badRequest, conflict, failure, forbidden, generateNameConflict, type GroupKind, type GroupResource, internalError, invalid, isBadInput, isStatusError, methodNotSupported, notAcceptable, notFound, requestEntityTooLarge, resourceExpired, serviceUnavailable, StatusError, timeout, tooManyRequests, unauthorized, unsupportedMediaType } from './status.ts';
