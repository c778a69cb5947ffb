/** Style sheets are imported for their effect; esbuild bundles them. */
declare module '*.css';
