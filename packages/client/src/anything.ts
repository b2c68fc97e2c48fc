/** The type of values from the application. It is the same as in v5, so that code for v5 compiles. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type Anything = any
