// Metadata in stored form: three parallel lists with one entry per leaf. If two leaves have the same name, the last leaf wins.
import { parseStoredJson } from '@svc-server/json'

/** Codes in metadata_types. */
export const leafType = { text: 0, number: 1, boolean: 2, json: 3, null: 4 } as const

export interface MetadataRow {
  readonly metadata_names: readonly string[]
  readonly metadata_values: readonly string[]
  readonly metadata_types: readonly number[]
}

export interface Leaf {
  readonly text: string
  readonly type: number
}

export function leafOf({ metadata_names, metadata_values, metadata_types }: MetadataRow, name: string): Leaf | undefined {
  const at = metadata_names.lastIndexOf(name)
  return at < 0 ? undefined : { text: metadata_values[at] ?? '', type: metadata_types[at] ?? leafType.text }
}

/** Converts a leaf to the value that clients see. A truncated list stays text, because it is not valid JSON. */
export function shownLeaf({ text, type }: Leaf): unknown {
  if (type === leafType.number || type === leafType.json) return parsed(text)
  if (type === leafType.boolean) return text === 'true'
  return type === leafType.null ? null : text
}

function parsed(text: string): unknown {
  try {
    return parseStoredJson(text)
  } catch {
    return text
  }
}
