// TypeScript types of the tables. The `table.ts` of each aggregate adds the types of its tables. PGlite and PostgreSQL use the same SQL.

// biome-ignore lint/suspicious/noEmptyInterface: aggregates extend this interface by declaration merging.
export interface Database {}
