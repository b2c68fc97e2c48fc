// TypeScript types of the tables; each aggregate's `table.ts` adds its own. PGlite and PostgreSQL use the same SQL.

// biome-ignore lint/suspicious/noEmptyInterface: aggregates add to it, and an interface can be added to.
export interface Database {}
