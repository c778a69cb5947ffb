// Makes Node on Linux lack what it lacks on the platform that OTHER_PLATFORM names: koffi, /proc and /sys, and on Windows sockets
// with the names of files and fsync of what was opened for reading. Its named pipes are sockets here. lmdb, which has a module for
// each platform, loads Linux's with npm_config_platform=linux.
'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const Module = require('node:module');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');

const platform = process.env.OTHER_PLATFORM;
Object.defineProperty(process, 'platform', { value: platform });

const fail = (code, what) => {
  throw Object.assign(new Error(`${code}: ${what}`), { code });
};

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (name, ...rest) {
  if (name === 'koffi') throw new Error('koffi is for Linux');
  return resolveFilename.call(this, name, ...rest);
};

const isLinuxOnly = (file) => typeof file === 'string' && /^\/(?:proc|sys)(?:\/|$)/.test(file);
for (const name of ['accessSync', 'openSync', 'readFileSync', 'readdirSync', 'readlinkSync', 'statSync']) {
  const original = fs[name];
  fs[name] = (file, ...rest) => {
    if (!isLinuxOnly(file)) return original(file, ...rest);
    return rest.at(-1)?.throwIfNoEntry === false ? undefined : fail('ENOENT', file);
  };
}
const existsSync = fs.existsSync;
fs.existsSync = (file) => !isLinuxOnly(file) && existsSync(file);
for (const name of ['access', 'open', 'readFile', 'readdir', 'readlink', 'stat']) {
  const original = fs.promises[name];
  fs.promises[name] = async (file, ...rest) => (isLinuxOnly(file) ? fail('ENOENT', file) : original(file, ...rest));
}

if (platform === 'win32') {
  const PIPES = '\\\\.\\pipe\\';
  const socketOf = (name) => {
    if (!name.startsWith(PIPES)) return fail('EACCES', `a socket with the name of a file: ${name}`);
    return path.join(os.tmpdir(), `pipe-${crypto.createHash('sha256').update(name).digest('hex').slice(0, 16)}`);
  };
  const listen = net.Server.prototype.listen;
  net.Server.prototype.listen = function (first, ...rest) {
    return listen.call(this, typeof first === 'string' ? socketOf(first) : first, ...rest);
  };
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function (...args) {
    const options = Array.isArray(args[0]) ? args[0][0] : args[0];
    if (typeof options?.path === 'string') options.path = socketOf(options.path);
    return connect.apply(this, args);
  };

  const reading = new Set();
  const openSync = fs.openSync;
  fs.openSync = (file, flags = 'r', ...rest) => {
    const fd = openSync(file, flags, ...rest);
    if (flags === 'r') reading.add(fd);
    else reading.delete(fd);
    return fd;
  };
  const fsyncSync = fs.fsyncSync;
  fs.fsyncSync = (fd) => (reading.has(fd) ? fail('EPERM', 'fsync') : fsyncSync(fd));
  const open = fs.promises.open;
  fs.promises.open = async (file, flags = 'r', ...rest) => {
    const handle = await open(file, flags, ...rest);
    if (flags === 'r') handle.sync = async () => fail('EPERM', 'fsync');
    return handle;
  };
}
