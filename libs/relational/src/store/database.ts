// The tables as TypeScript sees them: each aggregate's `table.ts` adds its own. Same SQL on PGlite and on PostgreSQL.

// biome-ignore lint/suspicious/noEmptyInterface: aggregates add to it, and an interface can be added to.
export interface Database {}
