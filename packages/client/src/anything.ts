/** Values of the application, typed as in v5, so that code written for v5 compiles. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type Anything = any
