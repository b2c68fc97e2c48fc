// Kinds of fields that bodies share. The schemas are the one source: types, validation, and what the fuzz
// test sends.
import { z } from 'zod'
import { microsOf } from './times.ts'

/** Clients send null for what they do not know (public-api.md §0.2). */
export const text = z.string().nullish()

/** Ids are any string; they stand in keys of the log and of states, so they end somewhere. */
export const maxIdLength = 800
export const id = z.string().min(1).max(maxIdLength)
/** An empty one counts as absent. */
export const optionalId = z.string().max(maxIdLength).nullish()

export const isoTime = z.string().refine(value => microsOf(value) !== undefined, {
  message: 'Expected an ISO 8601 date and time with Z or an offset, of the years 1900 to 2299.',
})
export const optionalTime = isoTime.nullish()

/** Any JSON. */
export const json = z.unknown().optional()

export const level = z.enum(['DEBUG', 'DEFAULT', 'WARNING', 'ERROR']).nullish()
