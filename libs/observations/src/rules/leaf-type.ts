// Types of metadata values, as the column metadata_types stores them.

export const leafType = { text: 0, number: 1, boolean: 2, json: 3, null: 4 } as const
