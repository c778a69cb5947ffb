/** Errors of strategic merge patches: 400 for a malformed directive, 500 for everything else, as upstream. */
import { goTypeName, plainText } from '../../base/index.ts';
import { badRequest, failure, type StatusError } from '../errors/index.ts';
import { patchDoesNotApply } from './json-patch.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/** Prints numbers as integers, because upstream decodes patches that way. */
export const valueText = (value: unknown): string => plainText(value, String);

export const patchFailed = (message: string): StatusError => failure(500, '', message);

export const noMergeKey = (item: JsonRecord, mergeKey: string): StatusError =>
  patchFailed(`map: ${valueText(item)} does not contain declared merge key: ${mergeKey}`);

export const unknownDirective = (directive: unknown, patch: JsonRecord): StatusError =>
  patchFailed(`unknown patch type: ${valueText(directive)} in map: ${valueText(patch)}`);

export const wrongType = (expected: 'list' | 'map', actual: unknown): StatusError =>
  patchFailed(
    `expected a ${expected === 'list' ? '[]interface {}' : 'map[string]interface {}'}, but received a ${goTypeName(actual)}`,
  );

export const badRetainKeys = (): StatusError => badRequest('invalid patch format of retainKeys');

export const badPrimitiveList = (): StatusError => badRequest('invalid patch format of primitive list');

export const badElementOrder = (): StatusError => badRequest('invalid patch format of setElementOrder list');

export const noListsOfLists = patchDoesNotApply;
