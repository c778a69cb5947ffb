import { expect, it } from 'vitest';
import { GrpcError } from '../../grpc/index.ts';
import { rpcErrorText } from './rpc-error.ts';

it.each([
  ['a code of one word', new GrpcError('UNAVAILABLE', 'no'), 'rpc error: code = Unavailable desc = no'],
  ['a code of two words', new GrpcError('NOT_FOUND', 'no'), 'rpc error: code = NotFound desc = no'],
  ['the code that Go spells its own way', new GrpcError('CANCELLED', 'no'), 'rpc error: code = Canceled desc = no'],
  ['an error of another kind', new Error('no'), 'no'],
  ['a value that is no error', 'no', 'no'],
])('shows %s as Go does', (_, error, expected) => {
  expect(rpcErrorText(error)).toBe(expected);
});
