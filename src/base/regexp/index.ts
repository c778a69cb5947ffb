/** Regular expressions that match in linear time, for patterns of users. */
export { LinearRegexp, RegexpTooLargeError } from './linear-regexp.ts';
