/** Regular expressions that cannot be made to run for ever: matching takes time linear in the text. */
export { LinearRegexp, RegexpTooLargeError } from './linear-regexp.ts';
