/** `@peculiar/x509`, after the polyfill that it must find when it is loaded. */
import 'reflect-metadata';

export * from '@peculiar/x509';
