/** What the machinery's own tests share, and the property tests of others: random canonical objects of every kind. */
export { objectGenerator, type ObjectGenerator } from './generate-object.ts';
