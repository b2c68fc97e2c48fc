// The `table.ts` of each aggregate adds the types of its tables.

// biome-ignore lint/suspicious/noEmptyInterface: aggregates extend this interface by declaration merging.
export interface Database {}
