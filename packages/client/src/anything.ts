/** Values of the application, which it uses without a check: v5 typed them so, and what was written for it compiles. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type Anything = any
