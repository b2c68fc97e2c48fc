// Types of metadata values, in the form that the column metadata_types stores.

export const leafType = { text: 0, number: 1, boolean: 2, json: 3, null: 4 } as const
