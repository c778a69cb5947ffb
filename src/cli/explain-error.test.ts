import { describe, expect, it } from 'vitest';
import { internalError, unauthorized } from '../machinery/errors/status.ts';
import { CommandError } from './command.ts';
import { explainError } from './explain-error.ts';

const systemError = (code: string, more: object = {}): Error =>
  Object.assign(new Error(`${code}: as the system says it\nand more`), { code, ...more });

describe('an error becomes one line with advice', () => {
  it.each<[string, unknown, RegExp]>([
    [
      'a port that is taken',
      systemError('EADDRINUSE', { port: 6443, address: '127.0.0.1' }),
      /^port 6443 on 127\.0\.0\.1 is in use .*--port N/,
    ],
    [
      'a low port',
      systemError('EACCES', { port: 443, address: '127.0.0.1' }),
      /no permission to listen on 127\.0\.0\.1:443; choose a port above 1023/,
    ],
    ['a closed directory', systemError('EACCES', { path: '/a' }), /no permission for \/a; choose a directory/],
    ['a read-only file system', systemError('EROFS', { path: '/a' }), /\/a is on a read-only file system/],
    [
      'a file system without directories of others',
      systemError('ENOENT', { path: '/proc/a', syscall: 'mkdir' }),
      /\/proc\/a cannot be created on this file system/,
    ],
    ['a file that is not there', systemError('ENOENT', { path: '/a', syscall: 'open' }), /^there is no file \/a$/],
    [
      'a file system without links',
      systemError('EPERM', { path: '/a', syscall: 'link' }),
      /the file system of \/a lacks links, sockets or locks/,
    ],
    [
      'a file system without sockets',
      systemError('ENOTSUP', { address: '/a/k8ts.sock' }),
      /the file system of \/a\/k8ts\.sock lacks/,
    ],
    ['a full disk, as the system says it', systemError('ENOSPC'), /is full; make room/],
    [
      'a full disk, as LMDB says it',
      new Error('No space left on device: Attempting to write page'),
      /is full.*make room/,
    ],
    [
      'a full store, as the API server says it',
      internalError('etcdserver: mvcc: database space exceeded'),
      /is full.*make room/,
    ],
    [
      'a server whose certificate has expired',
      new Error('fetch failed', { cause: systemError('CERT_HAS_EXPIRED') }),
      /certificate of the server has expired; restart it/,
    ],
    ['a user who is not known', unauthorized(), /the kubeconfig belongs to another cluster/],
    [
      'no kubeconfig',
      systemError('client-config', { message: 'kubeconfig a cannot be read', cause: systemError('ENOENT') }),
      /^kubeconfig a cannot be read: there is no such file$/,
    ],
    ['what says it already', new CommandError('do that', { cause: systemError('EACCES') }), /^do that$/],
    ['anything else', new Error('first line\nsecond'), /^first line$/],
    ['what is no error', 'text', /^text$/],
  ])('%s', (_, error, expected) => {
    expect(explainError(error)).toMatch(expected);
    expect(explainError(error)).not.toContain('\n');
  });
});
