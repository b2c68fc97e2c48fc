// TypeScript types of the tables; each aggregate's `table.ts` adds its own. PGlite and PostgreSQL use the same SQL.

// biome-ignore lint/suspicious/noEmptyInterface: aggregates extend this interface by declaration merging.
export interface Database {}
