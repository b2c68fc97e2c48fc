// Types of metadata values.

/** Values of the column metadata_types. */
export const leafType = { text: 0, number: 1, boolean: 2, json: 3, null: 4 } as const
