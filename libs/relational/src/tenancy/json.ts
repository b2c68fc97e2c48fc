// Makes clients' texts and JSON storable: a relational store accepts neither NUL nor an unpaired surrogate.
import { isExactNumber, objectOf } from '@svc-server/json'

export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed()

function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value
  return objectOf(Object.entries(value).map(([name, member]) => [storableText(name), storable(member)]))
}

/** Returns the JSON text for a JSON column; null for an absent value. Queries return the parsed value. */
export const storableJson = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(storable(value))
