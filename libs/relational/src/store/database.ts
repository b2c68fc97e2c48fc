// The `table.ts` of each aggregate adds the types of the aggregate's tables to the interface `Database`.

// biome-ignore lint/suspicious/noEmptyInterface: aggregates extend this interface by declaration merging.
export interface Database {}
