// What a relational store can hold of a client's text and JSON: neither NUL nor half of a surrogate pair.
import { objectOf } from '@svc-server/json'

export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed()

/** `value` is what JSON made of it. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value !== 'object' || value === null) return value
  return objectOf(Object.entries(value).map(([name, member]) => [storableText(name), storable(member)]))
}

/** JSON text for a JSON column; null for what was not sent. Columns come back parsed. */
export const storableJson = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(storable(value))
